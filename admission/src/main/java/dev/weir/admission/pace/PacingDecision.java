package dev.weir.admission.pace;

import dev.weir.model.Deadline;
import dev.weir.model.RetryAdvice;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The decision about a request under the rate limits. */
public sealed interface PacingDecision {
  /** The request proceeds. */
  PacingDecision PROCEED = new Proceed();

  record Proceed() implements PacingDecision {}

  /**
   * The request waits and asks again afterwards.
   *
   * @param delayNanos the delay in nanoseconds
   */
  record Delay(long delayNanos) implements PacingDecision {}

  /**
   * A rate limit.
   *
   * @param unit {@code requests} or {@code bytes}
   * @param perSecond tokens restored in each second
   * @param burst tokens available after an idle time
   */
  record Rate(String unit, double perSecond, double burst) {}

  /**
   * The request is rejected and takes no tokens.
   *
   * @param rule the name of the rule
   * @param key the key without tokens; empty if all requests share one
   * @param rate the exceeded rate
   * @param delayNanos how long the request would have to wait
   * @param maxDelayNanos how long the rule lets it wait
   * @param deadline the request's deadline if it would have passed; {@link Deadline#NONE} if the
   *     rule's own limit rejects the request
   */
  record Rejected(
      String rule, String key, Rate rate, long delayNanos, long maxDelayNanos, Deadline deadline)
      implements PacingDecision {

    /**
     * Returns the value of {@code Retry-After}: the delay in whole seconds, rounded up, at least
     * one.
     */
    public long retryAfterSeconds() {
      long seconds = delayNanos / 1_000_000_000L;
      return Math.max(1, seconds * 1_000_000_000L < delayNanos ? seconds + 1 : seconds);
    }

    /** Returns the reason in the error response. */
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
          + ")"
          + RetryAdvice.retry(
              Duration.ofSeconds(retryAfterSeconds()), "the rate of this rule in admission.pacing");
    }

    /** Returns the details of the reason as members of the error. */
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
