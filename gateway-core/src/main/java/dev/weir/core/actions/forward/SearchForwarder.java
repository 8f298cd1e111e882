package dev.weir.core.actions.forward;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.core.coordinate.FailoverCall;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.NodeCallType;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.routing.ReplicaSelector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.core.action.ActionListener;

/**
 * Has a node coordinate a search that the gateway can't, as one of several searches of a request.
 * It chooses the node with the fewest such searches in flight from this gateway, and among equals
 * the one with the least load by the ranking of copies. Safe on any thread.
 */
public final class SearchForwarder {
  private static final int MAX_NODES_TRIED = 3;

  /** For how long no search is forwarded after a node refused one that names no user. */
  private static final Duration REFUSAL_PAUSE = Duration.ofMinutes(1);

  private final CoordinationServices coordination;
  private final ReduceServices reduceServices;
  private final ForwardedSearchCounts counts;
  private final Map<String, Integer> inFlightByNode = new ConcurrentHashMap<>();
  private final AtomicLong refusedUntilNanos;

  /** Forwards nothing yet. */
  public SearchForwarder(
      CoordinationServices coordination,
      ReduceServices reduceServices,
      ForwardedSearchCounts counts) {
    this.coordination = coordination;
    this.reduceServices = reduceServices;
    this.counts = counts;
    this.refusedUntilNanos = new AtomicLong(nanoTime());
  }

  private long nanoTime() {
    return coordination.nanoClock().getAsLong();
  }

  /**
   * How a search is forwarded.
   *
   * @param caller the parent of its task
   * @param reason why the gateway can't coordinate it
   * @param isAlone whether no other search of the request runs
   * @param isKept whether its response is kept as objects until the others are done
   */
  public record ForwardingMode(
      SearchCaller caller, String reason, boolean isAlone, boolean isKept) {}

  /**
   * Whether searches of a request may be forwarded. A user's rights are checked with the whole
   * request, and a format of the gateway's own needs its own reduction. The processor of a search
   * pipeline may respond with an object of its plugin, which only the node's REST layer can write.
   */
  public boolean canForward(RequestContext context) {
    return context.resources().identity() == null
        && !context.search().hasOwnFormat()
        && nanoTime() - refusedUntilNanos.get() >= 0
        && !coordination.views().current().mayRunSearchPipelines();
  }

  /** Sends a search as it was parsed. */
  public void forward(
      SearchRequest search,
      RequestContext context,
      ForwardingMode mode,
      ActionListener<SearchResponse> listener) {
    List<String> nodeIds = rankNodes(context);
    if (nodeIds.isEmpty()) {
      throw new PassThroughException(mode.reason());
    }
    counts.recordSearch(mode.reason());
    FailoverCall.start(
        coordination,
        nodeIds,
        new ForwardedSearch(
            this,
            search,
            mode,
            context,
            new ForwardedResponseReader(reduceServices, search, context.resources().memory()),
            listener),
        context);
  }

  /** The nodes to try, best first. Nodes that only manage the cluster carry out no searches. */
  private List<String> rankNodes(RequestContext context) {
    ClusterView view = coordination.views().current();
    List<ShardCopy> candidates = new ArrayList<>();
    for (DiscoveryNode node : view.state().nodes()) {
      if (view.nodes().containsKey(node.getId())
          && (node.isDataNode() || !node.isClusterManagerNode())) {
        candidates.add(new ShardCopy(node.getId(), "", false, false, node.getAttributes()));
      }
    }
    NodeCallType work = NodeCallType.AGGREGATIONS;
    ReplicaSelector selector = coordination.selector().forPolicy(context.resources().policy());
    if (!candidates.stream().allMatch(node -> selector.isDrained(node.nodeId()))) {
      candidates.removeIf(node -> selector.isDrained(node.nodeId()));
    }
    List<String> ranked =
        selector.orderFallbacks(candidates, work.phase(), work.costClass()).stream()
            .map(ShardCopy::nodeId)
            .toList();
    return leastFirst(ranked, nodeId -> inFlightByNode.getOrDefault(nodeId, 0)).stream()
        .limit(MAX_NODES_TRIED)
        .toList();
  }

  /**
   * Sorts nodes by their searches in flight; those with equally many keep their order.
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

  /** An attempt is sent to a node. */
  void onSend(String nodeId) {
    inFlightByNode.merge(nodeId, 1, Integer::sum);
  }

  /** An attempt has its outcome. */
  void onOutcome(String nodeId) {
    inFlightByNode.computeIfPresent(nodeId, (_, calls) -> calls == 1 ? null : calls - 1);
  }

  /** Another node is about to be tried. */
  void onRetry() {
    counts.recordRetry();
  }

  /** The whole request passes through after all. */
  void onFallback() {
    counts.recordFallback();
  }

  /** A node refused a search that names no user: nodes authorize this action themselves. */
  void onUserMissing() {
    refusedUntilNanos.set(nanoTime() + REFUSAL_PAUSE.toNanos());
  }
}
