package dev.weir.bluegreen.dual;

import dev.weir.model.Deadline;
import java.util.function.LongSupplier;

/**
 * How one session's target cluster responds: how long the session waited for it, and whether it
 * made any progress. Tells its circuit breaker at the end. Confined to the request's event loop.
 */
final class TargetResponsiveness {
  private final LongSupplier nanoClock;
  private long sentAtNanos;
  private long waitNanos;
  private boolean isWaiting;
  private boolean hasResponded;

  TargetResponsiveness(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Records that writes are sent to the target. */
  void onSend() {
    isWaiting = true;
    sentAtNanos = nanoClock.getAsLong();
  }

  /** Stops the wait; does nothing if the session does not wait. */
  void stopWaiting() {
    if (isWaiting) {
      isWaiting = false;
      waitNanos += nanoClock.getAsLong() - sentAtNanos;
    }
  }

  /** Records that the target executed or compared a write. */
  void onProgress() {
    hasResponded = true;
  }

  /**
   * Tells the circuit breaker. A wait that the client or the first cluster shortened says nothing
   * about the target.
   *
   * @param deadline that of the session
   * @param timedOut whether a write has no outcome in time
   */
  void report(
      TargetCircuitBreaker circuitBreaker,
      DualWriteTarget target,
      Deadline deadline,
      boolean timedOut) {
    if (!deadline.isSet()) {
      return;
    }
    boolean usedFullTimeout =
        waitNanos >= target.timeout().toNanos() / 2
            && deadline.timeout().compareTo(target.timeout()) >= 0;
    if (hasResponded) {
      circuitBreaker.recordSuccess();
    } else if (timedOut && usedFullTimeout) {
      circuitBreaker.recordFailure();
    }
  }
}
