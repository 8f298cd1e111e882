package dev.weir.core.reduce.round;

import dev.weir.core.reduce.response.ShardFailures;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.search.dfs.DfsSearchResult;

/** Asks every shard for the term statistics of the query. */
public final class DfsRound extends BaseShardRound<DfsSearchResult> {
  private final @Nullable DfsSearchResult[] results;

  public DfsRound(SearchRoundContext parts, List<Integer> ordinals, ShardFailures failures) {
    super("dfs_pre_query", parts, ordinals, failures);
    this.results = new DfsSearchResult[ordinals.size()];
  }

  @Override
  public NodeCall<DfsSearchResult> createCall(int shard, String nodeId, SearchCaller caller) {
    checkNode(nodeId);
    return caller.createChildCall(
        SearchTransportService.DFS_ACTION_NAME,
        parts()
            .shardRequests()
            .toWireRequest(ordinalOf(shard), parts().shardRequests().create(ordinalOf(shard))),
        DfsSearchResult::new);
  }

  @Override
  SearchContextTracker.ContextIdPosition contextIdPosition() {
    return SearchContextTracker.ContextIdPosition.AT_START;
  }

  @Override
  public NodeCallType callType() {
    return NodeCallType.TERM_STATISTICS;
  }

  @Override
  public boolean canQueue() {
    return true;
  }

  @Override
  public void onReply(
      int shard, String nodeId, DfsSearchResult reply, ReplyFrame frame, Runnable consumed) {
    setShard(shard, nodeId, reply);
    parts().shardRequests().onShardResponse();
    parts().frames().retainUntilMerged(frame);
    parts().contexts().recordOpened(shard, reply.getSearchShardTarget(), reply.getContextId());
    results[shard] = reply;
    onSuccess(shard);
    consumed.run();
  }

  /** Returns the results of the shards that answered. */
  public List<DfsSearchResult> results() {
    List<DfsSearchResult> answered = new ArrayList<>(results.length);
    for (DfsSearchResult result : results) {
      if (result != null) {
        answered.add(result);
      }
    }
    return answered;
  }
}
