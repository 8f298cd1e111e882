package dev.weir.admission.queue;

/**
 * Groups rejections by a node into rounds. Calls that were in flight together and found the node's
 * queue full tell it once, however many they are. A node rejects a call when it arrives, so a
 * rejection that comes five milliseconds after the limit was lowered is of a later call. Guarded by
 * the lock of its limit.
 */
final class RejectionRounds {
  private static final long ROUND_NANOS = 5_000_000;

  private long startNanos;
  private boolean started;

  /** Records a rejection; returns whether it is the first of its round. */
  boolean startRound(long now) {
    if (started && now - startNanos <= ROUND_NANOS) {
      return false;
    }
    startNanos = now;
    started = true;
    return true;
  }
}
