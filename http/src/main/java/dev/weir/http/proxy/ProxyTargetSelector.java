package dev.weir.http.proxy;

import java.net.InetSocketAddress;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Chooses the node of a passed-through request. Safe on any thread; never blocks. */
public interface ProxyTargetSelector {

  /**
   * Returns the REST address of the node to try next.
   *
   * @param tried nodes that were unreachable for this request, or rejected it
   * @return null when no other node is known
   */
  @Nullable InetSocketAddress pick(Collection<InetSocketAddress> tried);

  /**
   * Returns the node that {@link #pick} would, unless it could not be reached a short time ago.
   *
   * @return null when no other node is known to be reachable
   */
  @Nullable InetSocketAddress pickReachable(Collection<InetSocketAddress> tried);

  /** Called when a request is sent to this node. */
  void onStarted(InetSocketAddress node);

  /**
   * Called when a node's response to a complete request has begun.
   *
   * @param elapsedNanos since the request's last byte was sent
   */
  void onResponse(InetSocketAddress node, int status, long elapsedNanos);

  /**
   * Called when a request that was {@link #onStarted} has ended at this node.
   *
   * @param contact whether there was a connection to the node
   */
  void onEnded(InetSocketAddress node, NodeContact contact);

  /** Returns the number of requests that were {@link #onStarted} at a node and have not ended. */
  int outstanding(InetSocketAddress node);
}
