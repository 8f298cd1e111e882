package dev.weir.core.coordinate;

import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.PendingCall;
import dev.weir.routing.NodeLoadRecorder;
import dev.weir.routing.tail.RestartPermit;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether to try one more copy because the first is late or has failed, and records the
 * attempts. Safe on any thread.
 */
public interface AttemptPolicy extends AttemptPolicies {
  /** Why a copy was tried. */
  enum Reason {
    /** The copy ranked first. */
    BEST(ShardRoutingRecorder.Reason.BEST_SCORE),
    /** The shard has no other copy. */
    ONLY_COPY(ShardRoutingRecorder.Reason.ONLY_COPY),
    /** The copy before it failed. */
    RETRY(ShardRoutingRecorder.Reason.RETRY),
    /** The first copy is late. */
    HEDGE(ShardRoutingRecorder.Reason.HEDGE);

    private final ShardRoutingRecorder.Reason recordedReason;

    Reason(ShardRoutingRecorder.Reason noted) {
      this.recordedReason = noted;
    }

    /** The reason as the request's routing decisions record it. */
    public ShardRoutingRecorder.Reason recordedReason() {
      return recordedReason;
    }
  }

  /** The outcome of a hedged request. */
  enum HedgeOutcome {
    /** The hedged request was answered first. */
    WON,
    /** The first request was answered first. */
    LOST,
    /** The hedged request failed while the first request was still in flight. */
    FAILED
  }

  /** Never hedges, and always tries the next copy after a failure. */
  AttemptPolicy RETRY_ONLY =
      new AttemptPolicy() {
        @Override
        public ShardRoutingRecorder.Reason recordAttempt(
            PendingCall call, String nodeId, Reason reason) {
          return reason.recordedReason();
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
        public void recordHedgeWin(PendingCall first) {}

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

        @Override
        public long stallCheckDelayNanos(PendingCall call) {
          return -1;
        }

        @Override
        public boolean isStalled(PendingCall call) {
          return false;
        }

        @Override
        public boolean canRespond(String nodeId) {
          return true;
        }

        @Override
        public @Nullable RestartPermit tryRestartStalled(int shards) {
          return null;
        }
      };

  /** Returns itself for every policy. */
  @Override
  default AttemptPolicy forPolicy(RequestPolicy policy) {
    return this;
  }

  /**
   * Records an attempt.
   *
   * @return the reason, refined by what this policy knows of the call
   */
  ShardRoutingRecorder.Reason recordAttempt(PendingCall call, String nodeId, Reason reason);

  /** Whether late requests are checked at all. */
  boolean isHedgingEnabled();

  /** Nanoseconds from sending a first request to its first check; negative for no check. */
  long hedgeDelayNanos(PendingCall first);

  /** Whether to send a hedged request to this node now. */
  boolean shouldHedge(PendingCall first, String nodeId);

  /**
   * Nanoseconds to the next check of a request that was not hedged; negative for no check.
   *
   * @param waitedNanos the delay before the check that just ran
   */
  long nextHedgeCheckNanos(PendingCall first, long waitedNanos);

  /** Records that a first request, or its hedge, was answered. */
  void recordAnswer(PendingCall first);

  /**
   * Gives up a call whose result is no longer needed. Its reply is still read, to free what the
   * node holds for it.
   *
   * @return whether to cancel its task on the node; a probe of an ejected node runs to its end
   */
  boolean abandon(PendingCall loser);

  /** Records that a hedged request was answered before {@code first}, for which it was sent. */
  void recordHedgeWin(PendingCall first);

  /** Records another outcome of a hedged request. */
  void recordHedgeOutcome(HedgeOutcome how);

  /** Whether the next copy may be tried after this failure. */
  boolean canRetry(Exception failure);

  /** Whether a search may start over after it lost a node that held its state. */
  boolean canRestart(Exception loss);

  /**
   * Nanoseconds from sending a call that only its node can answer to the first check of whether the
   * node responds; negative for no check.
   */
  long stallCheckDelayNanos(PendingCall call);

  /** Whether the node of a call has been silent for much longer than it usually takes. */
  boolean isStalled(PendingCall call);

  /** Whether a node is expected to respond: it is not ejected, and does not stall itself. */
  boolean canRespond(String nodeId);

  /**
   * Permits a search to start over because a node that holds its state does not respond; null if it
   * has to wait.
   *
   * @param shards the number of its shards
   */
  @Nullable RestartPermit tryRestartStalled(int shards);

  /** A call's entry in its node's load; for a call that does not count, one that does nothing. */
  static NodeLoadRecorder.OutstandingRequest outstanding(PendingCall call) {
    return call instanceof TrackedCall<?> tracked ? tracked.outstanding() : TrackedCall.UNCOUNTED;
  }
}
