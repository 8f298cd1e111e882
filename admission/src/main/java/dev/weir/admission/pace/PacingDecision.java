package dev.weir.admission.pace;

import dev.weir.model.Deadline;
import java.util.LinkedHashMap;
import java.util.Map;

/** The decision about a request that rate limits apply to. */
public sealed interface PacingDecision {
  /** The request goes on. */
  PacingDecision PROCEED = new Proceed();

  /** It goes on. */
  record Proceed() implements PacingDecision {}

  /**
   * The request waits, and then asks again.
   *
   * @param delayNanos how long
   */
  record Delay(long delayNanos) implements PacingDecision {}

  /**
   * A rate.
   *
   * @param unit {@code requests} or {@code bytes}
   * @param perSecond restored each second
   * @param burst available after a quiet time
   */
  record Rate(String unit, double perSecond, double burst) {}

  /**
   * The request is rejected and takes nothing.
   *
   * @param rule its name
   * @param key the key whose allowance is used up; empty where all share one
   * @param rate the rate that it exceeds
   * @param delayNanos how long it would have to wait
   * @param maxDelayNanos how long it may wait
   * @param deadline past which it would have waited; {@link Deadline#NONE} where the rule's own
   *     bound rejects it
   */
  record Rejected(
      String rule, String key, Rate rate, long delayNanos, long maxDelayNanos, Deadline deadline)
      implements PacingDecision {

    /** Retry-After: the delay in whole seconds, rounded up, at least one. */
    public long retryAfterSeconds() {
      long seconds = delayNanos / 1_000_000_000L;
      return Math.max(1, seconds * 1_000_000_000L < delayNanos ? seconds + 1 : seconds);
    }

    /** The reason in the response. */
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

    /** The details of the reason as members of the error. */
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
