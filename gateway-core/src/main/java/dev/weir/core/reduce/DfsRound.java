package dev.weir.core.reduce;

import dev.weir.model.Work;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.search.dfs.DfsSearchResult;

/** Asks every shard how often the query's terms occur there. */
final class DfsRound extends SearchRound<DfsSearchResult> {
  private final @Nullable DfsSearchResult[] results;

  DfsRound(SearchParts parts, List<Integer> ordinals, ShardFailures failures) {
    super("dfs_pre_query", parts, ordinals, failures);
    this.results = new DfsSearchResult[ordinals.size()];
  }

  @Override
  NodeCall<DfsSearchResult> call(int shard, String nodeId, SearchCaller caller) {
    checkNode(nodeId);
    return caller.child(
        SearchTransportService.DFS_ACTION_NAME,
        parts().requests().toSend(ordinal(shard), parts().requests().make(ordinal(shard))),
        DfsSearchResult::new);
  }

  @Override
  OpenContexts.Stands contextStands() {
    return OpenContexts.Stands.FIRST;
  }

  @Override
  public Work work() {
    return Work.TERM_STATISTICS;
  }

  @Override
  public boolean waits() {
    return true;
  }

  @Override
  public void reply(
      int shard, String nodeId, DfsSearchResult reply, ReplyFrame frame, Runnable consumed) {
    identify(shard, nodeId, reply);
    parts().requests().answered();
    parts().frames().holdUntilMerged(frame);
    parts().contexts().opened(shard, reply.getSearchShardTarget(), reply.getContextId());
    results[shard] = reply;
    succeeded(shard);
    consumed.run();
  }

  /** What the shards answered that did. */
  List<DfsSearchResult> results() {
    List<DfsSearchResult> answered = new ArrayList<>(results.length);
    for (DfsSearchResult result : results) {
      if (result != null) {
        answered.add(result);
      }
    }
    return answered;
  }
}
