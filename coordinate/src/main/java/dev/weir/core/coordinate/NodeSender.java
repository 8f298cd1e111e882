package dev.weir.core.coordinate;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import dev.weir.routing.NodeLoadRecorder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Sends calls to nodes, and reports them to {@link NodeLoadRecorder}. Safe on any thread. */
public interface NodeSender {
  /** Reads the load that a node reports with a reply. */
  interface LoadFeedback<R> {
    /** Tasks queued in the node's pool; negative when the reply does not report them. */
    int queueSize(R reply);

    /**
     * The node's EWMA of service time in nanoseconds; zero or negative when the reply does not
     * report it.
     */
    long serviceTimeNanos(R reply);
  }

  /**
   * Sends a call to a node and counts it as outstanding. Adds the node's response headers to the
   * context. Forgets the call when the context is cancelled: the handler then hears nothing.
   *
   * @param nodeId if no such node is known, the handler hears a NOT_SENT failure
   * @param loadFeedback null when replies to this call report no load
   */
  <R> PendingCall send(
      String nodeId,
      NodeCallType work,
      NodeCall<R> call,
      RequestContext context,
      @Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler);

  /** Sends a call that causes the usual work of its phase. */
  default <R> PendingCall send(
      String nodeId,
      Phase phase,
      NodeCall<R> call,
      RequestContext context,
      @Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler) {
    return send(nodeId, NodeCallType.forPhase(phase), call, context, loadFeedback, handler);
  }

  /**
   * Sends a call that says nothing about the node's load, such as freeing a search context or
   * cancelling tasks, and does not count it. Otherwise like {@link #send}; but a call whose reply
   * is ignored is not forgotten when the context is cancelled later.
   */
  <R> PendingCall sendUntracked(
      String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler);

  /**
   * Starts a batch of calls that travel together where their node can take them in one message.
   * Each has its own outcome all the same.
   *
   * @param maxRunning how many of the batch's queries a node carries out at a time; 0 for all
   */
  default CallBatch startBatch(int maxRunning) {
    return new CallBatch(this, this, nodeId -> false, () -> {});
  }

  /**
   * Calls that travel together. Confined to the event loop of their request.
   *
   * @param sender may hold calls back until the flush; unused after that
   * @param queuing sends like {@code sender}, but returns {@link QueuedCall}s
   * @param queuingNodes which nodes, by id, bound the queries that they carry out at a time
   * @param flush sends what was held back
   */
  record CallBatch(
      NodeSender sender, NodeSender queuing, Predicate<String> queuingNodes, Runnable flush) {}

  /**
   * A call that waits on its node until others of its batch are done. It says nothing about the
   * node's load until it begins.
   */
  interface QueuedCall extends PendingCall {
    /** Counts the call as outstanding on the node from now on. Does nothing after its outcome. */
    void begin();
  }
}
