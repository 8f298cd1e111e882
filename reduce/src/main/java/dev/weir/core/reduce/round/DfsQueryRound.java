package dev.weir.core.reduce.round;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.reduce.response.ShardFailures;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.List;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.dfs.AggregatedDfs;
import org.opensearch.search.dfs.DfsSearchResult;
import org.opensearch.search.query.QuerySearchRequest;
import org.opensearch.search.query.QuerySearchResult;

/** Queries the shards that answered the dfs round, with the term statistics of all of them. */
public final class DfsQueryRound implements NodeRound<QuerySearchResult> {
  private final SearchRoundContext parts;
  private final ShardFailures failures;
  private final QueryResults results;
  private final List<DfsSearchResult> shards;
  private final AggregatedDfs statistics;

  public DfsQueryRound(
      SearchRoundContext parts,
      ShardFailures failures,
      QueryResults results,
      List<DfsSearchResult> shards,
      AggregatedDfs statistics) {
    this.parts = parts;
    this.failures = failures;
    this.results = results;
    this.shards = shards;
    this.statistics = statistics;
  }

  @Override
  public String name() {
    return "dfs_query";
  }

  @Override
  public NodeCallType callType(int call) {
    return SearchCallTypeClassifier.perShardOfMany(parts.scope().request());
  }

  @Override
  public int callCount() {
    return shards.size();
  }

  @Override
  public String nodeId(int call) {
    return shards.get(call).getSearchShardTarget().getNodeId();
  }

  @Override
  public NodeCall<QuerySearchResult> createCall(int call) {
    DfsSearchResult shard = shards.get(call);
    SearchSourceBuilder source = parts.scope().request().source();
    return parts
        .caller()
        .forNode(nodeId(call))
        .createChildCall(
            SearchTransportService.QUERY_ID_ACTION_NAME,
            new QuerySearchRequest(
                shard.getSearchShardTarget().getOriginalIndices(),
                shard.getContextId(),
                shard.getShardSearchRequest(),
                statistics),
            results
                .readers()
                .hitsReader(
                    QueryRound.costKind(source),
                    QueryRound.hitCount(source),
                    results.readers().delayedAggregationsReader(QuerySearchResult::new)));
  }

  @Override
  public int queueSize(QuerySearchResult reply) {
    return reply.nodeQueueSize();
  }

  @Override
  public long serviceTimeNanos(QuerySearchResult reply) {
    return reply.serviceTimeEWMA();
  }

  @Override
  public void onReply(int call, QuerySearchResult reply, ReplyFrame frame, Runnable consumed) {
    DfsSearchResult shard = shards.get(call);
    reply.setShardIndex(shard.getShardIndex());
    reply.setSearchShardTarget(shard.getSearchShardTarget());
    results.retainFrame(reply, frame);
    results.recordContext(shard.getShardIndex(), reply);
    results.add(reply, consumed);
  }

  @Override
  public boolean canStartOver() {
    return parts.canStartOver();
  }

  @Override
  public boolean canStartOverOn(int ordinal, String nodeId) {
    return parts.canStartOverOn(ordinal, nodeId);
  }

  @Override
  public boolean isContextLost(Exception failure) {
    return parts.canStartOver() && BaseShardRound.isContextLost(failure);
  }

  @Override
  public boolean onFailure(int call, Exception failure) {
    parts.memoryRejections().inspect(failure);
    DfsSearchResult shard = shards.get(call);
    parts.contexts().discard(shard.getShardIndex());
    return failures.add(
        shard.getShardIndex(), shard.getSearchShardTarget(), BaseShardRound.unwrapRemote(failure));
  }
}
