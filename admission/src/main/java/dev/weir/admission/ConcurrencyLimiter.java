package dev.weir.admission;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of requests in flight: rejects a request beyond the limit at once, before the
 * gateway sends anything to a node. Counts by compare-and-set, so that the count never exceeds the
 * limit and a rejected request never causes another rejection. Safe on any thread; never blocks.
 */
public final class ConcurrencyLimiter {
  private static final String REASON = "too_many_requests_in_flight";

  private final String reason;
  private final String limitKey;
  private final AtomicInteger inFlight;
  private final LongAdder rejected;
  private volatile Limit limit;

  private record Limit(int maxInFlight, Duration retryAfter) {}

  /**
   * Creates a limiter with nothing in flight.
   *
   * @param retryAfter the {@code Retry-After} of rejections
   */
  public ConcurrencyLimiter(int maxInFlight, Duration retryAfter) {
    this(REASON, "admission.max-in-flight", maxInFlight, retryAfter);
  }

  /** Creates the limiter of one policy. */
  static ConcurrencyLimiter ofPolicy(String policyName, int maxInFlight, Duration retryAfter) {
    return new ConcurrencyLimiter(
        REASON + " of policy " + policyName,
        "policies." + policyName + ".max-in-flight",
        maxInFlight,
        retryAfter);
  }

  private ConcurrencyLimiter(String reason, String limitKey, int maxInFlight, Duration retryAfter) {
    this(
        reason, limitKey, new Limit(maxInFlight, retryAfter), new AtomicInteger(), new LongAdder());
  }

  private ConcurrencyLimiter(
      String reason, String limitKey, Limit limit, AtomicInteger inFlight, LongAdder rejected) {
    this.reason = reason;
    this.limitKey = limitKey;
    this.limit = limit;
    this.inFlight = inFlight;
    this.rejected = rejected;
  }

  /** Returns a limiter with another limit that shares the count of requests in flight. */
  ConcurrencyLimiter withLimit(int maxInFlight, Duration retryAfter) {
    return new ConcurrencyLimiter(
        reason, limitKey, new Limit(maxInFlight, retryAfter), inFlight, rejected);
  }

  /** Changes the limit; requests in flight continue. */
  public void setLimit(int maxInFlight, Duration retryAfter) {
    limit = new Limit(maxInFlight, retryAfter);
  }

  /** Returns the limit. */
  public int maxInFlight() {
    return limit.maxInFlight();
  }

  /** Returns whether the next request would be rejected. */
  public boolean isFull() {
    return inFlight.get() >= limit.maxInFlight();
  }

  /**
   * Rejects a request by its headers while the limit is reached. Does not count it as in flight.
   *
   * @return null below the limit
   */
  public AdmissionDecision.@Nullable Rejected rejectIfFull() {
    Limit current = limit;
    int count = inFlight.get();
    return count < current.maxInFlight() ? null : reject(count, current);
  }

  private AdmissionDecision.Rejected reject(int count, Limit current) {
    rejected.increment();
    return new AdmissionDecision.Rejected(
        reason, count, current.maxInFlight(), limitKey, current.retryAfter());
  }

  /**
   * Counts a request as in flight, or rejects it. The caller closes the permit once, when the
   * request has ended.
   */
  public AdmissionDecision tryAcquire() {
    Limit current = limit;
    int count;
    do {
      count = inFlight.get();
      if (count >= current.maxInFlight()) {
        return reject(count, current);
      }
    } while (!inFlight.compareAndSet(count, count + 1));
    return new AdmissionDecision.Admitted(new Permit(inFlight::decrementAndGet));
  }

  /** Returns the number of admitted requests that have not ended. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Returns the number of rejections since the start. */
  public long rejected() {
    return rejected.sum();
  }
}
