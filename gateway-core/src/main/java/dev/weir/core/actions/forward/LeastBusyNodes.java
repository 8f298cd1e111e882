package dev.weir.core.actions.forward;

import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.routing.ReplicaSelector;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import org.opensearch.cluster.node.DiscoveryNode;

/**
 * Ranks nodes for work that any of them can do: by the fewest such calls in flight from this
 * gateway, and among equals by the least load as the ranking of copies knows it. Safe on any
 * thread.
 */
public final class LeastBusyNodes {
  /** Puts drained nodes behind all others. */
  private static final double MIN_WEIGHT = 1e-6;

  private final CoordinationServices coordination;
  private final NodeCallType work;
  private final Map<String, Integer> inFlightByNode = new ConcurrentHashMap<>();

  /**
   * Starts without calls in flight.
   *
   * @param work what each call causes on its node
   */
  public LeastBusyNodes(CoordinationServices coordination, NodeCallType work) {
    this.coordination = coordination;
    this.work = work;
  }

  /** Returns the ids of nodes, best first; drained ones last. */
  public List<String> rank(List<DiscoveryNode> nodes, RequestContext context) {
    ReplicaSelector selector = coordination.selector().forPolicy(context.resources().policy());
    List<ShardCopy> candidates =
        nodes.stream()
            .map(node -> new ShardCopy(node.getId(), "", false, false, node.getAttributes()))
            .toList();
    List<String> ranked =
        selector.orderFallbacks(candidates, work.phase(), work.costClass()).stream()
            .map(ShardCopy::nodeId)
            .toList();
    return leastFirst(
        ranked,
        nodeId ->
            (1 + inFlightByNode.getOrDefault(nodeId, 0))
                / Math.max(MIN_WEIGHT, selector.weight(nodeId)));
  }

  /**
   * Sorts nodes by their calls in flight, relative to their weights; equal ones keep their order.
   *
   * @param load other event loops change it at any time, so it is read once for each node: a sort
   *     whose comparisons contradict each other may throw
   */
  static List<String> leastFirst(List<String> nodeIds, ToDoubleFunction<String> load) {
    Map<String, Double> loads = new HashMap<>();
    nodeIds.forEach(nodeId -> loads.put(nodeId, load.applyAsDouble(nodeId)));
    return nodeIds.stream()
        .sorted(Comparator.comparingDouble(nodeId -> loads.getOrDefault(nodeId, 0.0)))
        .toList();
  }

  /** Counts a call that is sent to a node. */
  public void onSend(String nodeId) {
    inFlightByNode.merge(nodeId, 1, Integer::sum);
  }

  /** Counts the outcome of a call; once for each {@link #onSend}. */
  public void onOutcome(String nodeId) {
    inFlightByNode.computeIfPresent(nodeId, (_, calls) -> calls == 1 ? null : calls - 1);
  }
}
