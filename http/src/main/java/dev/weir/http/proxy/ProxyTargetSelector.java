package dev.weir.http.proxy;

import java.net.InetSocketAddress;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Chooses the node that answers a passed-through request. Safe on any thread; never blocks. */
public interface ProxyTargetSelector {

  /**
   * The node to try next, by its REST address.
   *
   * @param tried nodes that could not be reached for this request
   * @return null when no further node is known
   */
  @Nullable InetSocketAddress pick(Collection<InetSocketAddress> tried);

  /** A request goes to this node. */
  void onStarted(InetSocketAddress node);

  /**
   * A request that was {@link #onStarted} has left this node.
   *
   * @param reached false when no connection could be made; one that broke later proves nothing,
   *     because a node closes the connection of a request that it finds malformed
   */
  void onEnded(InetSocketAddress node, boolean reached);
}
