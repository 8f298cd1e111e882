package dev.weir.core.reduce.round;

import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.fetch.QueryFetchSearchResult;
import org.opensearch.search.internal.ShardSearchRequest;

/**
 * How long a request and its answer were on the way, for profiles: as a node's {@code
 * SearchExecutionStatsCollector} works it out from the clocks of both sides.
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
