package dev.weir.gateway.authorization;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.routing.weight.NodeWeights;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The REST addresses to which requests pass through. A request that a node has to check goes to no
 * node that checks nothing while others check. Safe on any thread; computes the list once for each
 * change.
 */
public final class RestTargets implements Supplier<List<InetSocketAddress>> {
  private static final double UNDRAWN_COST_FACTOR = 1e5;
  private static final double DRAINED_COST_FACTOR = 1e9;

  private final ClusterViewSource views;
  private final NodeWeights weights;
  private final ClusterAuthorization authorization;
  private final SecurityDetector detector;
  private volatile @Nullable Computed newest;

  private record Computed(
      ClusterView view,
      Set<InetSocketAddress> checking,
      Map<InetSocketAddress, String> nodeIds,
      List<InetSocketAddress> addresses) {}

  /**
   * Computes nothing yet.
   *
   * @param weights of the nodes
   */
  public RestTargets(
      ClusterViewSource views,
      NodeWeights weights,
      ClusterAuthorization authorization,
      SecurityDetector detector) {
    this.views = views;
    this.weights = weights;
    this.authorization = authorization;
    this.detector = detector;
  }

  @Override
  public List<InetSocketAddress> get() {
    ClusterView view = views.current();
    Set<InetSocketAddress> checking =
        authorization.mode() == AuthorizationMode.NONE ? Set.of() : detector.checkingAddresses();
    Computed known = newest;
    if (known == null || known.view != view || !known.checking.equals(checking)) {
      Map<InetSocketAddress, String> nodeIds = compute(view, checking);
      known = new Computed(view, checking, nodeIds, List.copyOf(nodeIds.keySet()));
      newest = known;
    }
    return known.addresses;
  }

  /**
   * Returns how much more a request costs on a node that an operator wants to have less: it goes to
   * a drained node only if all others were tried or can't be reached.
   *
   * @param address one of those of {@link #get}
   */
  public double costFactor(InetSocketAddress address) {
    Computed known = newest;
    String nodeId = weights.areFull() || known == null ? null : known.nodeIds.get(address);
    if (nodeId == null) {
      return 1;
    }
    if (weights.isDrained(nodeId)) {
      return DRAINED_COST_FACTOR;
    }
    return weights.drawsIn(nodeId) ? 1 : UNDRAWN_COST_FACTOR;
  }

  private static Map<InetSocketAddress, String> compute(
      ClusterView view, Set<InetSocketAddress> checking) {
    Map<InetSocketAddress, String> addresses = new LinkedHashMap<>();
    view.nodes()
        .forEach((nodeId, node) -> {
          InetSocketAddress address = node.http();
          if (address != null && (checking.isEmpty() || checking.contains(address))) {
            addresses.put(address, nodeId);
          }
        });
    return addresses;
  }
}
