package dev.weir.core.coordinate.batch;

import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.opensearch.action.search.SearchTransportService;

/**
 * Collects calls, and sends those to one node in one message if the node announced {@link
 * Capability#SHARD_BATCHES}, or for parts of bulks {@link Capability#BULK_BATCHES}. Confined to the
 * event loop of the request whose calls it collects.
 */
public final class ShardBatches {
  /** What may be batched and answered when all is done: quick, or needed all at once. */
  private static final Set<String> JOINT_ACTIONS =
      Set.of(
          SearchTransportService.QUERY_CAN_MATCH_NAME,
          SearchTransportService.FETCH_ID_ACTION_NAME,
          SearchTransportService.FREE_CONTEXT_ACTION_NAME);

  /**
   * How long the result of a query waits for those of the other shards of its node: longer than the
   * queries of most searches take together, so that one response has all, and short for one that
   * may be hedged.
   */
  private static final int QUERY_WAIT_MILLIS = 8;

  /** How many queries one message has at most that wait on the node for others. */
  private static final int MAX_QUERIES = 512;

  private final NodeCapabilities capabilities;
  private final int maxRunning;
  private final Map<BatchKey, NodeBatch> batches = new LinkedHashMap<>();
  private final BulkBatches bulks;

  /** What the calls of one message have in common. */
  private record BatchKey(
      NodeClient node, Executor executor, Map<String, String> headers, boolean isQuery) {}

  /**
   * Collects no call yet.
   *
   * @param maxRunning how many queries of a message its node carries out at a time; 0 for all
   */
  public ShardBatches(NodeCapabilities capabilities, int maxRunning) {
    this.capabilities = capabilities;
    this.maxRunning = maxRunning;
    this.bulks = new BulkBatches(capabilities);
  }

  /** Returns whether a node bounds the queries that it carries out, and takes another one. */
  public boolean hasRoom(String nodeId) {
    if (maxRunning == 0 || !capabilities.has(nodeId, Capability.SHARD_BATCHES)) {
      return false;
    }
    int queries = 0;
    for (Map.Entry<BatchKey, NodeBatch> one : batches.entrySet()) {
      if (one.getKey().isQuery() && one.getValue().nodeId().equals(nodeId)) {
        queries += one.getValue().size();
      }
    }
    return queries < MAX_QUERIES;
  }

  /**
   * Holds a call back until {@link #flush}, or sends it at once if it can't be batched. Otherwise
   * like {@link NodeClient#send}.
   */
  public <R> PendingCall send(
      NodeClient node, NodeCall<R> call, Executor executor, ReplyHandler<R> handler) {
    if (call.kind() == ChannelKind.BULK) {
      return bulks.send(node, call, executor, handler);
    }
    boolean query = SearchTransportService.QUERY_ACTION_NAME.equals(call.action());
    if (call.kind() != ChannelKind.READ
        || !call.timeout().isZero()
        || (!query && !JOINT_ACTIONS.contains(call.action()))
        || !capabilities.has(node.endpoint().id(), Capability.SHARD_BATCHES)) {
      return node.send(call, executor, handler);
    }
    return batches
        .computeIfAbsent(
            new BatchKey(node, executor, call.headers(), query),
            key -> new NodeBatch(node, executor, query ? queryLimits(node) : NodeBatch.Limits.NONE))
        .add(call, handler);
  }

  private NodeBatch.Limits queryLimits(NodeClient node) {
    return new NodeBatch.Limits(
        QUERY_WAIT_MILLIS, maxRunning, reducibleParts(node.endpoint().id()));
  }

  private Set<PartialReduction.Part> reducibleParts(String nodeId) {
    Set<PartialReduction.Part> parts = EnumSet.noneOf(PartialReduction.Part.class);
    for (PartialReduction.Part part : PartialReduction.Part.values()) {
      if (capabilities.has(nodeId, part.capability())) {
        parts.add(part);
      }
    }
    return parts;
  }

  /** Sends what was held back; a call that is alone goes as it is. */
  public void flush() {
    Map<BatchKey, NodeBatch> sent = new LinkedHashMap<>(batches);
    batches.clear();
    sent.values().forEach(NodeBatch::send);
    bulks.flush();
  }
}
