package dev.weir.admission.pace;

import dev.weir.model.Deadline;
import java.util.LinkedHashMap;
import java.util.Map;

/** What becomes of a request that asks for its turn. */
public sealed interface PacingDecision {
  /** It goes on. */
  PacingDecision PROCEED = new Proceed();

  /** It goes on. */
  record Proceed() implements PacingDecision {}

  /**
   * It is held back, and then asks again.
   *
   * @param delayNanos for how long
   */
  record Delay(long delayNanos) implements PacingDecision {}

  /**
   * How fast requests may come.
   *
   * @param unit what is counted: {@code requests} or {@code bytes}
   * @param perSecond that come back
   * @param burst that there are after a quiet time
   */
  record Rate(String unit, double perSecond, double burst) {}

  /**
   * It is refused; nothing was taken for it.
   *
   * @param rule by whose name
   * @param key whose allowance is used up; empty where all share one
   * @param rate that it would have gone beyond
   * @param delayNanos for how long it would have had to be held back
   * @param maxDelayNanos for how long it may be
   * @param deadline past which it would have been held back; {@link Deadline#NONE} where the rule
   *     itself does not hold anybody back for so long
   */
  record Rejected(
      String rule, String key, Rate rate, long delayNanos, long maxDelayNanos, Deadline deadline)
      implements PacingDecision {

    /** When to come again: the delay in whole seconds, rounded up, at least one. */
    public long retryAfterSeconds() {
      long seconds = delayNanos / 1_000_000_000L;
      return Math.max(1, seconds * 1_000_000_000L < delayNanos ? seconds + 1 : seconds);
    }

    /** What a client is told. */
    public String message() {
      return "rejected by the gateway: rate_limit ["
          + rule
          + "]"
          + (key.isEmpty() ? "" : " of [" + key + "]")
          + ", got a request that would have had to wait "
          + millis(delayNanos)
          + " ms (expected: at most "
          + millis(maxDelayNanos)
          + " ms, "
          + (deadline.isSet() ? "which its deadline of [" + deadline + "] leaves, " : "")
          + "at "
          + number(rate.perSecond())
          + " "
          + rate.unit()
          + " a second with a burst of "
          + number(rate.burst())
          + ")";
    }

    /** The same for programs. */
    public Map<String, Object> details() {
      Map<String, Object> details = new LinkedHashMap<>();
      details.put("rule", rule);
      details.put("key", key);
      details.put("unit", rate.unit());
      details.put("per_second", number(rate.perSecond()));
      details.put("burst", number(rate.burst()));
      details.put("delay_ms", millis(delayNanos));
      details.put("max_delay_ms", millis(maxDelayNanos));
      return details;
    }

    private static long millis(long nanos) {
      long millis = nanos / 1_000_000L;
      return millis * 1_000_000L < nanos ? millis + 1 : millis;
    }

    private static Number number(double value) {
      return value == Math.rint(value) ? (Number) (long) value : (Number) value;
    }
  }
}
