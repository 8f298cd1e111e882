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
import java.util.function.ToIntFunction;
import org.opensearch.cluster.node.DiscoveryNode;

/**
 * Ranks nodes for work that any of them can do: by the fewest such calls in flight from this
 * gateway, and among equals by the least load as the ranking of copies knows it. Safe on any
 * thread.
 */
public final class LeastBusyNodes {
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

  /** Returns the ids of nodes, best first; drained ones only where all are drained. */
  public List<String> rank(List<DiscoveryNode> nodes, RequestContext context) {
    ReplicaSelector selector = coordination.selector().forPolicy(context.resources().policy());
    boolean allDrained = nodes.stream().allMatch(node -> selector.isDrained(node.getId()));
    List<ShardCopy> candidates =
        nodes.stream()
            .filter(node -> allDrained || !selector.isDrained(node.getId()))
            .map(node -> new ShardCopy(node.getId(), "", false, false, node.getAttributes()))
            .toList();
    List<String> ranked =
        selector.orderFallbacks(candidates, work.phase(), work.costClass()).stream()
            .map(ShardCopy::nodeId)
            .toList();
    return leastFirst(ranked, nodeId -> inFlightByNode.getOrDefault(nodeId, 0));
  }

  /**
   * Sorts nodes by their calls in flight; those with equally many keep their order.
   *
   * @param inFlight other event loops change it at any time, so it is read once for each node: a
   *     sort whose comparisons contradict each other may throw
   */
  static List<String> leastFirst(List<String> nodeIds, ToIntFunction<String> inFlight) {
    Map<String, Integer> counts = new HashMap<>();
    nodeIds.forEach(nodeId -> counts.put(nodeId, inFlight.applyAsInt(nodeId)));
    return nodeIds.stream()
        .sorted(Comparator.comparingInt(nodeId -> counts.getOrDefault(nodeId, 0)))
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
