package dev.weir.admission;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the requests in flight: rejects a request beyond the bound at once, before the gateway
 * sends anything to a node. A request takes its place by compare-and-set, so the count never
 * exceeds the bound and a rejected request never keeps another one out. Safe on any thread; never
 * blocks.
 */
public final class ConcurrencyLimiter {
  private final String reason;
  private final AtomicInteger inFlight;
  private final LongAdder rejected;
  private volatile Limit limit;

  private record Limit(int maxInFlight, Duration retryAfter) {}

  /**
   * Creates a limiter with nothing in flight.
   *
   * @param retryAfter the Retry-After of rejections
   */
  public ConcurrencyLimiter(int maxInFlight, Duration retryAfter) {
    this("too_many_requests_in_flight", maxInFlight, retryAfter);
  }

  /** Creates a limiter whose rejections give another reason. */
  ConcurrencyLimiter(String reason, int maxInFlight, Duration retryAfter) {
    this(reason, new Limit(maxInFlight, retryAfter), new AtomicInteger(), new LongAdder());
  }

  private ConcurrencyLimiter(
      String reason, Limit limit, AtomicInteger inFlight, LongAdder rejected) {
    this.reason = reason;
    this.limit = limit;
    this.inFlight = inFlight;
    this.rejected = rejected;
  }

  /** A limiter with another bound that shares the count of requests in flight. */
  ConcurrencyLimiter withLimit(int maxInFlight, Duration retryAfter) {
    return new ConcurrencyLimiter(reason, new Limit(maxInFlight, retryAfter), inFlight, rejected);
  }

  /** Changes the bound; requests in flight stay. */
  public void setLimit(int maxInFlight, Duration retryAfter) {
    limit = new Limit(maxInFlight, retryAfter);
  }

  /** The bound of requests in flight. */
  public int maxInFlight() {
    return limit.maxInFlight();
  }

  /** Whether the next request would be rejected. */
  public boolean isFull() {
    return inFlight.get() >= limit.maxInFlight();
  }

  /**
   * Rejects a request of which only the headers were read, while the bound is reached; takes no
   * place.
   *
   * @return null when there is a place left
   */
  public AdmissionDecision.@Nullable Rejected rejectIfFull() {
    Limit current = limit;
    int count = inFlight.get();
    return count < current.maxInFlight() ? null : reject(count, current);
  }

  private AdmissionDecision.Rejected reject(int count, Limit current) {
    rejected.increment();
    return new AdmissionDecision.Rejected(
        reason, count, current.maxInFlight(), current.retryAfter());
  }

  /** Takes a place, or rejects. The caller closes the permit once, when the request has ended. */
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

  /** Requests admitted and not ended. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Requests rejected since the start. */
  public long rejected() {
    return rejected.sum();
  }
}
