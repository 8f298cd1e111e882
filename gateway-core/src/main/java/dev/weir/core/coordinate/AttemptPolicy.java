package dev.weir.core.coordinate;

import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.PendingCall;

/**
 * Decides whether one more copy is asked, because the first is late or has failed, and is told
 * which copies were asked. Safe on any thread.
 */
public interface AttemptPolicy extends AttemptPolicies {
  /** Why a copy was asked. */
  enum Reason {
    /** It came first. */
    BEST(ShardRoutingRecorder.Reason.BEST_SCORE),
    /** There was no other. */
    ONLY_COPY(ShardRoutingRecorder.Reason.ONLY_COPY),
    /** The one before it failed. */
    RETRY(ShardRoutingRecorder.Reason.RETRY),
    /** The first is late. */
    HEDGE(ShardRoutingRecorder.Reason.HEDGE);

    private final ShardRoutingRecorder.Reason recordedReason;

    Reason(ShardRoutingRecorder.Reason noted) {
      this.recordedReason = noted;
    }

    /** As it is noted. */
    ShardRoutingRecorder.Reason recordedReason() {
      return recordedReason;
    }
  }

  /** What became of a second request. */
  enum HedgeOutcome {
    /** It was answered first. */
    WON,
    /** The first request was answered first. */
    LOST,
    /** Its copy failed while the first request was still under way. */
    FAILED
  }

  /** Never asks a second copy, and always the next one after a failure. */
  AttemptPolicy RETRY_ONLY =
      new AttemptPolicy() {
        @Override
        public ShardRoutingRecorder.Reason recordAttempt(
            PendingCall call, String nodeId, Reason why) {
          return why.recordedReason();
        }

        @Override
        public boolean isHedgingEnabled() {
          return false;
        }

        @Override
        public long hedgeDelayNanos(PendingCall first) {
          return -1;
        }

        @Override
        public boolean shouldHedge(PendingCall first, String nodeId) {
          return false;
        }

        @Override
        public long nextHedgeCheckNanos(PendingCall first, long waitedNanos) {
          return -1;
        }

        @Override
        public void recordAnswer(PendingCall first) {}

        @Override
        public boolean abandon(PendingCall loser) {
          return true;
        }

        @Override
        public void recordHedgeOutcome(HedgeOutcome how) {}

        @Override
        public boolean canRetry(Exception failure) {
          return true;
        }

        @Override
        public boolean canRestart(Exception loss) {
          return true;
        }
      };

  /** The same for all requests. */
  @Override
  default AttemptPolicy forPolicy(RequestPolicy policy) {
    return this;
  }

  /**
   * A copy was asked.
   *
   * @return why, as far as it is known here
   */
  ShardRoutingRecorder.Reason recordAttempt(PendingCall call, String nodeId, Reason why);

  /** Whether late requests are looked at now. */
  boolean isHedgingEnabled();

  /** A first request was sent: after how many nanoseconds to look at it; negative for never. */
  long hedgeDelayNanos(PendingCall first);

  /** Whether to ask the copy on another node too, now. */
  boolean shouldHedge(PendingCall first, String nodeId);

  /**
   * After how many nanoseconds to look again at a request that got no second one; negative for
   * never.
   *
   * @param waitedNanos before the look that was just taken
   */
  long nextHedgeCheckNanos(PendingCall first, long waitedNanos);

  /** The request, or the second one for it, was answered. */
  void recordAnswer(PendingCall first);

  /**
   * Nobody waits for a call any more; its answer is still heard, to free what it left behind.
   *
   * @return whether its task on the node is to be cancelled; what tries an ejected node runs to its
   *     end
   */
  boolean abandon(PendingCall loser);

  /** A second request has come to its end. */
  void recordHedgeOutcome(HedgeOutcome how);

  /** Whether the next copy may be asked after this failure. */
  boolean canRetry(Exception failure);

  /** Whether a search may start over after a node was lost with what it held for it. */
  boolean canRestart(Exception loss);
}
