package dev.weir.core.coordinate;

import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardNotes;
import dev.weir.protocol.PendingCall;

/**
 * Decides whether one more copy is asked, because the first is late or has failed, and is told
 * which copies were asked. Safe on any thread.
 */
public interface Tail extends Tails {
  /** Why a copy was asked. */
  enum Why {
    /** It came first. */
    BEST(ShardNotes.Why.BEST),
    /** There was no other. */
    ONLY_COPY(ShardNotes.Why.ONLY_COPY),
    /** The one before it failed. */
    RETRY(ShardNotes.Why.RETRY),
    /** The first is late. */
    HEDGE(ShardNotes.Why.HEDGE);

    private final ShardNotes.Why noted;

    Why(ShardNotes.Why noted) {
      this.noted = noted;
    }

    /** As it is noted. */
    ShardNotes.Why noted() {
      return noted;
    }
  }

  /** What became of a second request. */
  enum End {
    /** It was answered first. */
    WON,
    /** The first request was answered first. */
    LOST,
    /** Its copy failed while the first request was still under way. */
    FAILED
  }

  /** Never asks a second copy, and always the next one after a failure. */
  Tail PLAIN =
      new Tail() {
        @Override
        public ShardNotes.Why asked(PendingCall call, String nodeId, Why why) {
          return why.noted();
        }

        @Override
        public boolean hedges() {
          return false;
        }

        @Override
        public long lookAfterNanos(PendingCall first) {
          return -1;
        }

        @Override
        public boolean goes(PendingCall first, String nodeId) {
          return false;
        }

        @Override
        public long lookAgainNanos(PendingCall first, long waitedNanos) {
          return -1;
        }

        @Override
        public void answered(PendingCall first) {}

        @Override
        public boolean abandon(PendingCall loser) {
          return true;
        }

        @Override
        public void ended(End how) {}

        @Override
        public boolean mayRetry(Exception failure) {
          return true;
        }

        @Override
        public boolean mayStartOver(Exception loss) {
          return true;
        }
      };

  /** The same for all requests. */
  @Override
  default Tail by(RequestPolicy policy) {
    return this;
  }

  /**
   * A copy was asked.
   *
   * @return why, as far as it is known here
   */
  ShardNotes.Why asked(PendingCall call, String nodeId, Why why);

  /** Whether late requests are looked at now. */
  boolean hedges();

  /** A first request was sent: after how many nanoseconds to look at it; negative for never. */
  long lookAfterNanos(PendingCall first);

  /** Whether to ask the copy on another node too, now. */
  boolean goes(PendingCall first, String nodeId);

  /**
   * After how many nanoseconds to look again at a request that got no second one; negative for
   * never.
   *
   * @param waitedNanos before the look that was just taken
   */
  long lookAgainNanos(PendingCall first, long waitedNanos);

  /** The request, or the second one for it, was answered. */
  void answered(PendingCall first);

  /**
   * Nobody waits for a call any more; its answer is still heard, to free what it left behind.
   *
   * @return whether its task on the node is to be cancelled; what tries an ejected node runs to its
   *     end
   */
  boolean abandon(PendingCall loser);

  /** A second request has come to its end. */
  void ended(End how);

  /** Whether the next copy may be asked after this failure. */
  boolean mayRetry(Exception failure);

  /** Whether a search may start over after a node was lost with what it held for it. */
  boolean mayStartOver(Exception loss);
}
