package dev.weir.core.coordinate.write;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One part of a write that one node carries out: the items of one shard, an update, the creation of
 * an index. Opaque to the state machine. Called on the request's event loop.
 */
public interface WriteOperation<R> {
  /** What a node's error means for the operation. */
  enum FailureClass {
    /** It was not done, and won't be. */
    FINAL,
    /**
     * The node stopped halfway (it is closing, or lost the primary): it may have done the
     * operation.
     */
    UNCERTAIN,
    /** It was not done: the shard is not ready, or the node lags behind the view. */
    NOT_READY,
    /** It was not done, because the view that it was planned by is stale. */
    STALE_VIEW,
    /** The node is overloaded and did none of it. */
    REJECTED,
    /**
     * The node accepted it and was then overloaded: nothing was done, unless by an earlier attempt
     * of the node's own that it does not report.
     */
    REJECTED_DURING_EXECUTION
  }

  /** Why it is unknown whether the operation was done. */
  enum UncertaintyReason {
    /** The node has not replied in time, and may still do it. */
    NO_RESPONSE,
    /** The node has replied, and the gateway had no memory for the reply. */
    NO_MEMORY_FOR_RESPONSE,
    /** The node has replied, and the reply could not be read. */
    UNREADABLE_RESPONSE,
    /** The connection of an attempt was lost, and a retry was not possible. */
    ATTEMPT_LOST,
    /** The connection of an attempt was lost, and the node of a retry refused. */
    RETRY_FAILED
  }

  /** How long it may wait for the cluster to be ready. */
  Duration waitTimeout();

  /** Where it goes. */
  WriteTarget target(ClusterView view);

  /** What the call causes on a node. */
  default NodeCallType work() {
    return NodeCallType.WRITE;
  }

  /** The memory that the node charges for it, in bytes; 0 for none. */
  default long bytes() {
    return 0;
  }

  /** The call for the next attempt. */
  NodeCall<R> call();

  /** Reads the load that the node reports with its reply; null for none. */
  NodeSender.@Nullable LoadFeedback<R> loadFeedback();

  /** Classifies a node's error. */
  FailureClass classify(Exception answer);

  /** The bytes of writes in flight that a rejecting node reports as its limit; 0 if it doesn't. */
  default long reportedByteLimit(Exception refusal) {
    return 0;
  }

  /**
   * Prepares a retry although a node may have done it already: marks what is safe to repeat, and
   * fails what is not. If it writes documents, it also marks them by {@link
   * dev.weir.model.RequestResources#setPossiblyRepeated}, and, unless the cause is a rejection, by
   * {@link dev.weir.model.RequestResources#setPossiblyExecuted}.
   *
   * @return whether something is left to send
   */
  boolean prepareRetry(Exception cause);

  /**
   * Takes the node's reply in. Items that the node rejected have a result too, used unless they are
   * retried, and are all that the next {@link #call()} contains.
   *
   * @return why the node rejected some items; null when it did not
   */
  @Nullable Exception onReply(R reply, ReplyFrame frame);

  /** Fails and is not retried. */
  void onFailure(Exception cause);

  /** Reports that it may have been done. The client must not be told to repeat it. */
  void onUncertain(UncertaintyReason reason, Exception cause);

  /**
   * Hears that the request's deadline passed before a reply.
   *
   * @param maybeDone whether a node may have done it, or may still do it; otherwise nothing was
   *     done
   */
  void onDeadlineExpired(boolean maybeDone);

  /**
   * Returns to planning because the cluster changed; the last attempt did nothing.
   *
   * @param maybeDone whether an earlier attempt was lost that may have done it
   */
  void onReplan(Exception cause, boolean maybeDone);
}
