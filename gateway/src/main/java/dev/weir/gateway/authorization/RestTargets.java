package dev.weir.gateway.authorization;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.model.NodeEndpoint;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The REST addresses to which requests pass through. A request that a node has to check goes to no
 * node that checks nothing while others check. Safe on any thread; computes the list once for each
 * change.
 */
public final class RestTargets implements Supplier<List<InetSocketAddress>> {
  private final ClusterViewSource views;
  private final ClusterAuthorization authorization;
  private final SecurityDetector detector;
  private volatile @Nullable Computed newest;

  private record Computed(
      ClusterView view, Set<InetSocketAddress> checking, List<InetSocketAddress> addresses) {}

  public RestTargets(
      ClusterViewSource views, ClusterAuthorization authorization, SecurityDetector detector) {
    this.views = views;
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
      known = new Computed(view, checking, compute(view, checking));
      newest = known;
    }
    return known.addresses;
  }

  private static List<InetSocketAddress> compute(
      ClusterView view, Set<InetSocketAddress> checking) {
    return view.nodes().values().stream()
        .map(NodeEndpoint::http)
        .filter(Objects::nonNull)
        .filter(address -> checking.isEmpty() || checking.contains(address))
        .toList();
  }
}
