package dev.weir.core.actions.merge;

import dev.weir.model.RequestContext;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.support.ActiveShardCount;
import org.opensearch.action.support.WriteRequest.RefreshPolicy;
import org.opensearch.core.index.shard.ShardId;

/**
 * What bulk parts must have in common to be merged: the shard, the parameters, and the user.
 *
 * @param timeout of parts without a deadline, in nanoseconds; otherwise the deadline by powers of
 *     two
 * @param identityHeaders the headers for the node, except those that only identify the request
 */
record MergeKey(
    String nodeId,
    ShardId shardId,
    RefreshPolicy refresh,
    ActiveShardCount activeShards,
    long timeout,
    String tenant,
    String policy,
    Map<String, String> identityHeaders) {

  /** Headers that identify requests and do not affect permissions. */
  private static final Set<String> TRACING_HEADERS =
      Set.of("x-opaque-id", "x-request-id", "traceparent", "tracestate");

  static MergeKey of(
      String nodeId,
      BulkShardRequest request,
      Map<String, String> headers,
      RequestContext context) {
    long timeout =
        context.deadline().isSet()
            ? Long.MIN_VALUE + Long.numberOfLeadingZeros(Math.max(1, request.timeout().millis()))
            : request.timeout().nanos();
    return new MergeKey(
        nodeId,
        request.shardId(),
        request.getRefreshPolicy(),
        request.waitForActiveShards(),
        timeout,
        context.tenant(),
        context.resources().policy().name(),
        identityHeaders(headers));
  }

  private static Map<String, String> identityHeaders(Map<String, String> headers) {
    if (headers.isEmpty()) {
      return headers;
    }
    Map<String, String> identity = new HashMap<>(headers);
    identity.keySet().removeIf(name -> TRACING_HEADERS.contains(name.toLowerCase(Locale.ROOT)));
    return identity;
  }
}
