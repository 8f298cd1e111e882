package dev.weir.core.coordinate.batch;

import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.opensearch.action.search.SearchTransportService;

/**
 * Collects calls, and sends those to one node in one message if the node announced {@link
 * Capability#SHARD_BATCHES}. Confined to the event loop of the request whose calls it collects.
 */
public final class ShardBatches {
  /** What may be batched: can-match, fetches, and frees of search contexts. */
  private static final Set<String> ACTIONS =
      Set.of(
          SearchTransportService.QUERY_CAN_MATCH_NAME,
          SearchTransportService.FETCH_ID_ACTION_NAME,
          SearchTransportService.FREE_CONTEXT_ACTION_NAME);

  private final NodeCapabilities capabilities;
  private final Map<BatchKey, NodeBatch> batches = new LinkedHashMap<>();

  /** What the calls of one message have in common. */
  private record BatchKey(NodeClient node, Executor executor, Map<String, String> headers) {}

  /** Collects no call yet. */
  public ShardBatches(NodeCapabilities capabilities) {
    this.capabilities = capabilities;
  }

  /**
   * Holds a call back until {@link #flush}, or sends it at once if it can't be batched. Otherwise
   * like {@link NodeClient#send}.
   */
  public <R> PendingCall send(
      NodeClient node, NodeCall<R> call, Executor executor, ReplyHandler<R> handler) {
    if (call.kind() != ChannelKind.READ
        || !call.timeout().isZero()
        || !ACTIONS.contains(call.action())
        || !capabilities.has(node.endpoint().id(), Capability.SHARD_BATCHES)) {
      return node.send(call, executor, handler);
    }
    return batches
        .computeIfAbsent(
            new BatchKey(node, executor, call.headers()), key -> new NodeBatch(node, executor))
        .add(call, handler);
  }

  /** Sends what was held back; a call that is alone goes as it is. */
  public void flush() {
    Map<BatchKey, NodeBatch> sent = new LinkedHashMap<>(batches);
    batches.clear();
    sent.values().forEach(NodeBatch::send);
  }
}
