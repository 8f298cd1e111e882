package dev.weir.protocol;

import dev.weir.model.NodeEndpoint;
import java.util.concurrent.Executor;

/** Sends calls to one node. Safe on any thread. */
public interface NodeClient {
  /** The node. */
  NodeEndpoint endpoint();

  /**
   * Sends a call; never blocks and never throws for what happens outside this JVM.
   *
   * @param home where the handler runs; when it is one of the client's event loops, that loop's own
   *     channel is taken and nothing hops
   * @param handler receives exactly one outcome, unless the returned call is forgotten first
   */
  <R> PendingCall send(NodeCall<R> call, Executor home, ReplyHandler<R> handler);

  /** Whether at least one channel is open. */
  boolean isConnected();
}
