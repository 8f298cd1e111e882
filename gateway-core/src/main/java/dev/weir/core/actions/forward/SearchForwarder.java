package dev.weir.core.actions.forward;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.core.coordinate.FailoverCall;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.NodeCallType;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.core.action.ActionListener;

/**
 * Has a node coordinate a search that the gateway can't, as one of several searches of a request.
 * It chooses one of the {@link LeastBusyNodes}. Safe on any thread.
 */
public final class SearchForwarder {
  private static final int MAX_NODES_TRIED = 3;

  /** For how long no search is forwarded after a node refused one that names no user. */
  private static final Duration REFUSAL_PAUSE = Duration.ofMinutes(1);

  private final CoordinationServices coordination;
  private final ReduceServices reduceServices;
  private final ForwardedSearchCounts counts;
  private final LeastBusyNodes nodes;
  private final AtomicLong refusedUntilNanos;

  /** Forwards nothing yet. */
  public SearchForwarder(
      CoordinationServices coordination,
      ReduceServices reduceServices,
      ForwardedSearchCounts counts) {
    this.coordination = coordination;
    this.reduceServices = reduceServices;
    this.counts = counts;
    this.nodes = new LeastBusyNodes(coordination, NodeCallType.AGGREGATIONS);
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
    List<DiscoveryNode> candidates = new ArrayList<>();
    for (DiscoveryNode node : view.state().nodes()) {
      if (view.nodes().containsKey(node.getId())
          && (node.isDataNode() || !node.isClusterManagerNode())) {
        candidates.add(node);
      }
    }
    return nodes.rank(candidates, context).stream().limit(MAX_NODES_TRIED).toList();
  }

  /** An attempt is sent to a node. */
  void onSend(String nodeId) {
    nodes.onSend(nodeId);
  }

  /** An attempt has its outcome. */
  void onOutcome(String nodeId) {
    nodes.onOutcome(nodeId);
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
