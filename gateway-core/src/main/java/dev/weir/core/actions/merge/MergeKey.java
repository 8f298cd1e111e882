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
 * What parts of bulks must have in common to go together: the shard, all that is asked of it, and
 * whose they are.
 *
 * @param timeout of those without a deadline, in nanoseconds; else by powers of two
 * @param identityHeaders what goes along to the node, but for what only tells requests apart
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

  /** Headers that tell requests apart, and say nothing of who may do what. */
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
