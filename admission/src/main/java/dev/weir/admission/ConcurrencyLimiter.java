package dev.weir.admission;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Lets a bounded number of requests in at a time and refuses the others at once, before anything is
 * sent to a node. Safe on any thread; never blocks.
 */
public final class ConcurrencyLimiter {
  private final String reason;
  private final AtomicInteger inFlight;
  private final LongAdder rejected;
  private volatile Limit limit;

  private record Limit(int maxInFlight, Duration retryAfter) {}

  /**
   * Makes a controller with nothing in flight.
   *
   * @param most requests in flight
   * @param retryAfter what those are told that are refused
   */
  public ConcurrencyLimiter(int most, Duration retryAfter) {
    this("too_many_requests_in_flight", most, retryAfter, new AtomicInteger(), new LongAdder());
  }

  /** Makes one that says why in words of its own. */
  ConcurrencyLimiter(String reason, int most, Duration retryAfter) {
    this(reason, most, retryAfter, new AtomicInteger(), new LongAdder());
  }

  private ConcurrencyLimiter(
      String reason, int most, Duration retryAfter, AtomicInteger inFlight, LongAdder refused) {
    this.reason = reason;
    this.limit = new Limit(most, retryAfter);
    this.inFlight = inFlight;
    this.rejected = refused;
  }

  /** One with another limit that counts the same requests. */
  ConcurrencyLimiter withLimit(int most, Duration retryAfter) {
    return new ConcurrencyLimiter(reason, most, retryAfter, inFlight, rejected);
  }

  /** Takes another limit; who is in flight stays. */
  public void setLimit(int most, Duration retryAfter) {
    limit = new Limit(most, retryAfter);
  }

  /** The most that may be in flight. */
  public int maxInFlight() {
    return limit.maxInFlight();
  }

  /** Whether nobody else would be let in now. */
  public boolean isFull() {
    return inFlight.get() >= limit.maxInFlight();
  }

  /** Refuses one of whom only the head is known, while nobody else would be let in; null else. */
  public AdmissionDecision.@Nullable Rejected rejectIfFull() {
    Limit bound = limit;
    int now = inFlight.get();
    return now < bound.maxInFlight() ? null : rejected(now, bound);
  }

  private AdmissionDecision.Rejected rejected(int now, Limit bound) {
    rejected.increment();
    return new AdmissionDecision.Rejected(reason, now, bound.maxInFlight(), bound.retryAfter());
  }

  /** Asks to be let in. */
  public AdmissionDecision tryAcquire() {
    Limit bound = limit;
    int now = inFlight.incrementAndGet();
    if (now <= bound.maxInFlight()) {
      return new AdmissionDecision.Admitted(new Permit(inFlight::decrementAndGet));
    }
    inFlight.decrementAndGet();
    return rejected(now - 1, bound);
  }

  /** Requests let in and not finished. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Requests refused so far. */
  public long rejected() {
    return rejected.sum();
  }
}
