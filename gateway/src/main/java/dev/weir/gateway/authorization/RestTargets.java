package dev.weir.gateway.authorization;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.routing.weight.NodeWeights;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The REST addresses to which requests pass through. A request that a node has to check goes to no
 * node that checks nothing while others check, and none goes to a drained node while another is
 * left. Safe on any thread; computes the list once for each change, and for each request while a
 * node has less than its full weight.
 */
public final class RestTargets implements Supplier<List<InetSocketAddress>> {
  private final ClusterViewSource views;
  private final NodeWeights weights;
  private final ClusterAuthorization authorization;
  private final SecurityDetector detector;
  private volatile @Nullable Computed newest;

  private record Computed(
      ClusterView view,
      Set<InetSocketAddress> checking,
      Map<String, InetSocketAddress> byNodeId,
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
      Map<String, InetSocketAddress> byNodeId = compute(view, checking);
      known = new Computed(view, checking, byNodeId, List.copyOf(byNodeId.values()));
      newest = known;
    }
    return weights.areFull() ? known.addresses : withoutDrained(known);
  }

  private List<InetSocketAddress> withoutDrained(Computed known) {
    List<InetSocketAddress> left = new ArrayList<>();
    known.byNodeId.forEach((nodeId, address) -> {
      if (weights.drawsIn(nodeId)) {
        left.add(address);
      }
    });
    return left.isEmpty() ? known.addresses : left;
  }

  private static Map<String, InetSocketAddress> compute(
      ClusterView view, Set<InetSocketAddress> checking) {
    Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();
    view.nodes()
        .forEach((nodeId, node) -> {
          InetSocketAddress address = node.http();
          if (address != null && (checking.isEmpty() || checking.contains(address))) {
            addresses.put(nodeId, address);
          }
        });
    return addresses;
  }
}
