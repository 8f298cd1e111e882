package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.model.Work;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One piece of a write that one node carries out: the items of one shard, an update, the creation
 * of an index. Opaque to the state machine. Called on the request's home.
 */
public interface WritePart<R> {
  /** What a node's error answer means for the piece. */
  enum Verdict {
    /** It was not done, and it won't be. */
    FINAL,
    /** The node gave up in the middle (it is closing, it lost the primary): it may have done it. */
    UNSURE,
    /** It was not done: its place is not ready, or the node is behind the view. */
    NOT_YET,
    /** It was not done because the view it was planned by no longer holds. */
    STALE,
    /** The node has too much to do and let none of it in: nothing of it was done. */
    REFUSED,
    /**
     * The node let it in, and then had too much to do for it: nothing of it was done, unless by an
     * earlier attempt of the node's own that it does not tell of.
     */
    REFUSED_WITHIN
  }

  /** Why nobody knows whether it was done. */
  enum Doubt {
    /** Its node has not answered in time, and may do it yet. */
    UNANSWERED,
    /** Its node has answered, and there was no room for the answer. */
    NO_ROOM,
    /** Its node has answered, and the answer could not be read. */
    UNREADABLE,
    /** An attempt was lost on its way, and another was not possible. */
    LOST,
    /** An attempt was lost on its way, and the node of another one said no. */
    REPEAT_FAILED
  }

  /** How long it may wait for the cluster to be ready for it. */
  Duration patience();

  /** Where it goes. */
  WriteTarget target(ClusterView view);

  /** What the call asks of a node. */
  default Work work() {
    return Work.WRITE;
  }

  /** The memory that the node charges for it, bytes; 0 for what needs none. */
  default long bytes() {
    return 0;
  }

  /** The call for the next attempt. */
  NodeCall<R> call();

  /** Reads what the node piggybacks on the answer; null for nothing. */
  NodeSender.@Nullable Piggyback<R> piggyback();

  /** Judges a node's error answer. */
  Verdict judge(Exception answer);

  /** The bytes of writes that a node says it takes at once when it refuses one; 0 if it doesn't. */
  default long limitSaid(Exception refusal) {
    return 0;
  }

  /**
   * Prepares for being sent again although a node may have done it already: marks what is safe that
   * way, and reports what must not be repeated as failed.
   *
   * @return whether something is left to send
   */
  boolean prepareRepeat(Exception why);

  /**
   * The node did it, or as much of it as it had room for. What it refused has its answer too, for
   * when it is not sent again, and is all that the next {@link #call()} is about.
   *
   * @return why the node refused some of it; null when it did not
   */
  @Nullable Exception answered(R reply, ReplyFrame frame);

  /** It failed for good. */
  void failed(Exception why);

  /** It may have been done. Its client must not be told to do it again. */
  void doubtful(Doubt doubt, Exception why);

  /**
   * The request's deadline has passed before it had an answer.
   *
   * @param maybeDone whether a node may have done it, or may do it yet; otherwise nothing of it was
   *     done
   */
  void expired(boolean maybeDone);

  /**
   * It will be planned anew because the cluster changed; nothing of it was done by the last
   * attempt.
   *
   * @param maybeDone whether an attempt before that was lost, which may have done it
   */
  void givenBack(Exception why, boolean maybeDone);
}
