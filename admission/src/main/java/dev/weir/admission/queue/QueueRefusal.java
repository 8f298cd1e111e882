package dev.weir.admission.queue;

import dev.weir.model.Shown;
import java.time.Duration;

/**
 * Why a request was not let in, with what was measured.
 *
 * @param reason of its kind
 * @param tenant whose request it is
 * @param full the node that it would have waited for
 * @param waits how it stands with waiting
 * @param retryAfter when to come again
 */
public record QueueRefusal(
    Reason reason, String tenant, FullNode full, Waits waits, Duration retryAfter) {

  /** Kinds of refusals. */
  public enum Reason {
    /** As many wait as may. */
    QUEUE_FULL,
    /** It would have waited for too long. */
    WOULD_WAIT,
    /** It has waited for too long. */
    WAITED,
    /** Its own deadline passed, or would have before it was its turn. */
    DEADLINE;

    /** For people. */
    public String label() {
      return Shown.word(this);
    }
  }

  /**
   * A node at its limit.
   *
   * @param limit calls that it may have at once
   */
  public record FullNode(String nodeId, WorkClass work, int inFlight, double limit) {}

  /**
   * Waiting.
   *
   * @param waiting requests of the class that wait
   * @param nanos for how long it has waited, or would have
   * @param mostNanos for how long it may
   * @param most how many may wait
   */
  public record Waits(int waiting, long nanos, long mostNanos, int most) {}

  /** What a client is told. */
  public String message() {
    String what =
        switch (reason) {
          case QUEUE_FULL ->
              waits.waiting() + " wait already (expected: less than " + waits.most() + ")";
          case WOULD_WAIT ->
              "it would wait "
                  + millis(waits.nanos())
                  + " ms (expected: at most "
                  + millis(waits.mostNanos())
                  + " ms), behind "
                  + waits.waiting()
                  + " that wait";
          case WAITED ->
              "it has waited "
                  + millis(waits.nanos())
                  + " ms (expected: at most "
                  + millis(waits.mostNanos())
                  + " ms)";
          case DEADLINE ->
              "its own deadline leaves "
                  + millis(waits.mostNanos())
                  + " ms, and it would wait "
                  + millis(waits.nanos())
                  + " ms (expected: an answer in time)";
        };
    return "rejected by the gateway ["
        + reason.label()
        + "]: node "
        + full.nodeId()
        + " has "
        + full.inFlight()
        + " "
        + full.work().label()
        + " calls in flight (limit "
        + (long) full.limit()
        + "), "
        + what
        + "; tenant "
        + tenant
        + "; come again after "
        + retryAfter.toSeconds()
        + " s"
        + advice();
  }

  private String advice() {
    return switch (reason) {
      case QUEUE_FULL -> ", or raise admission.queue.waiting";
      case WOULD_WAIT, WAITED -> ", or raise admission.queue.max-queue-wait";
      case DEADLINE -> ", or give it more time";
    };
  }

  private static long millis(long nanos) {
    return Math.max(0, nanos / 1_000_000);
  }
}
