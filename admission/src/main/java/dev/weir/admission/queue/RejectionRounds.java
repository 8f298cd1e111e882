package dev.weir.admission.queue;

/**
 * Groups rejections by a node into rounds. Calls that were in flight together and found the node's
 * queue full tell it once, however many they are: only a rejection of a call that was sent after
 * the limit was lowered tells that it is still too high. Guarded by the lock of its limit.
 */
final class RejectionRounds {
  private long loweredAtNanos;
  private boolean started;

  /**
   * Records a rejection; returns whether it is the first of its round.
   *
   * @param sentNanos when the call was sent
   */
  boolean startRound(long sentNanos, long now) {
    if (started && sentNanos - loweredAtNanos <= 0) {
      return false;
    }
    loweredAtNanos = now;
    started = true;
    return true;
  }
}
