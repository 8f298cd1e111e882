package dev.weir.core.reduce.round;

import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.fetch.QueryFetchSearchResult;
import org.opensearch.search.internal.ShardSearchRequest;

/**
 * Records how long a request and its response travelled, for profiles. A node's {@code
 * SearchExecutionStatsCollector} computes it in the same way from the clocks of both sides.
 */
final class NetworkTimeRecorder {
  private NetworkTimeRecorder() {}

  static void recordNetworkTime(SearchPhaseResult reply, long nowMillis) {
    if (reply instanceof QueryFetchSearchResult) {
      ShardSearchRequest echoed = reply.queryResult().getShardSearchRequest();
      if (echoed != null) {
        echoed.setOutboundNetworkTime(0);
        echoed.setInboundNetworkTime(0);
      }
      return;
    }
    ShardSearchRequest echoed = reply.getShardSearchRequest();
    if (echoed != null) {
      echoed.setOutboundNetworkTime(Math.max(0, nowMillis - echoed.getOutboundNetworkTime()));
    }
  }
}
