package dev.weir.protocol;

import dev.weir.model.NodeEndpoint;
import java.util.concurrent.Executor;

/** Sends calls to one node. Safe on any thread. */
public interface NodeClient {
  NodeEndpoint endpoint();

  /**
   * Sends a call; never blocks, and throws nothing for remote errors.
   *
   * @param callerExecutor runs the handler; if it is one of the client's event loops, the call uses
   *     that event loop's own channel and changes no thread
   * @param handler receives exactly one response or failure, unless the returned call is abandoned
   *     first
   */
  <R> PendingCall send(NodeCall<R> call, Executor callerExecutor, ReplyHandler<R> handler);

  /**
   * Has payloads compressed by zstd on the connections to one start of the node, where they are
   * compressed at all. Clients that compress nothing ignore it.
   *
   * @param processId the node's ephemeral id; another start of the node gets DEFLATE again
   */
  default void compressByZstd(String processId) {}

  /** Returns true if at least one channel is open. */
  boolean isConnected();
}
