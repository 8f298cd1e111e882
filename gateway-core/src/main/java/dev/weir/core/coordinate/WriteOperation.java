package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One piece of a write that one node carries out: the items of one shard, an update, the creation
 * of an index. Opaque to the state machine. Called on the request's home.
 */
public interface WriteOperation<R> {
  /** What a node's error answer means for the piece. */
  enum FailureClass {
    /** It was not done, and it won't be. */
    FINAL,
    /** The node gave up in the middle (it is closing, it lost the primary): it may have done it. */
    UNCERTAIN,
    /** It was not done: its place is not ready, or the node is behind the view. */
    NOT_READY,
    /** It was not done because the view it was planned by no longer holds. */
    STALE_VIEW,
    /** The node has too much to do and let none of it in: nothing of it was done. */
    REJECTED,
    /**
     * The node let it in, and then had too much to do for it: nothing of it was done, unless by an
     * earlier attempt of the node's own that it does not tell of.
     */
    REJECTED_DURING_EXECUTION
  }

  /** Why nobody knows whether it was done. */
  enum UncertaintyReason {
    /** Its node has not answered in time, and may do it yet. */
    NO_RESPONSE,
    /** Its node has answered, and there was no room for the answer. */
    NO_MEMORY_FOR_RESPONSE,
    /** Its node has answered, and the answer could not be read. */
    UNREADABLE_RESPONSE,
    /** An attempt was lost on its way, and another was not possible. */
    ATTEMPT_LOST,
    /** An attempt was lost on its way, and the node of another one said no. */
    RETRY_FAILED
  }

  /** How long it may wait for the cluster to be ready for it. */
  Duration waitTimeout();

  /** Where it goes. */
  WriteTarget target(ClusterView view);

  /** What the call asks of a node. */
  default NodeCallType work() {
    return NodeCallType.WRITE;
  }

  /** The memory that the node charges for it, bytes; 0 for what needs none. */
  default long bytes() {
    return 0;
  }

  /** The call for the next attempt. */
  NodeCall<R> call();

  /** Reads what the node piggybacks on the answer; null for nothing. */
  NodeSender.@Nullable LoadFeedback<R> loadFeedback();

  /** Judges a node's error answer. */
  FailureClass classify(Exception answer);

  /** The bytes of writes that a node says it takes at once when it refuses one; 0 if it doesn't. */
  default long reportedByteLimit(Exception refusal) {
    return 0;
  }

  /**
   * Prepares for being sent again although a node may have done it already: marks what is safe that
   * way, and reports what must not be repeated as failed.
   *
   * @return whether something is left to send
   */
  boolean prepareRetry(Exception why);

  /**
   * The node did it, or as much of it as it had room for. What it refused has its answer too, for
   * when it is not sent again, and is all that the next {@link #call()} is about.
   *
   * @return why the node refused some of it; null when it did not
   */
  @Nullable Exception onReply(R reply, ReplyFrame frame);

  /** It failed for good. */
  void onFailure(Exception why);

  /** It may have been done. Its client must not be told to do it again. */
  void onUncertain(UncertaintyReason doubt, Exception why);

  /**
   * The request's deadline has passed before it had an answer.
   *
   * @param maybeDone whether a node may have done it, or may do it yet; otherwise nothing of it was
   *     done
   */
  void onDeadlineExpired(boolean maybeDone);

  /**
   * It will be planned anew because the cluster changed; nothing of it was done by the last
   * attempt.
   *
   * @param maybeDone whether an attempt before that was lost, which may have done it
   */
  void onReplan(Exception why, boolean maybeDone);
}
