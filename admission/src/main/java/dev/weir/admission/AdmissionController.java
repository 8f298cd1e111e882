package dev.weir.admission;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Lets a bounded number of requests in at a time and refuses the others at once, before anything is
 * sent to a node. Safe on any thread; never blocks.
 */
public final class AdmissionController {
  private final String reason;
  private final AtomicInteger inFlight;
  private final LongAdder refused;
  private volatile Limit limit;

  private record Limit(int most, Duration retryAfter) {}

  /**
   * Makes a controller with nothing in flight.
   *
   * @param most requests in flight
   * @param retryAfter what those are told that are refused
   */
  public AdmissionController(int most, Duration retryAfter) {
    this("too_many_requests_in_flight", most, retryAfter, new AtomicInteger(), new LongAdder());
  }

  /** Makes one that says why in words of its own. */
  AdmissionController(String reason, int most, Duration retryAfter) {
    this(reason, most, retryAfter, new AtomicInteger(), new LongAdder());
  }

  private AdmissionController(
      String reason, int most, Duration retryAfter, AtomicInteger inFlight, LongAdder refused) {
    this.reason = reason;
    this.limit = new Limit(most, retryAfter);
    this.inFlight = inFlight;
    this.refused = refused;
  }

  /** One with another limit that counts the same requests. */
  AdmissionController next(int most, Duration retryAfter) {
    return new AdmissionController(reason, most, retryAfter, inFlight, refused);
  }

  /** Takes another limit; who is in flight stays. */
  public void limit(int most, Duration retryAfter) {
    limit = new Limit(most, retryAfter);
  }

  /** The most that may be in flight. */
  public int most() {
    return limit.most();
  }

  /** Whether nobody else would be let in now. */
  public boolean full() {
    return inFlight.get() >= limit.most();
  }

  /** Refuses one of whom only the head is known, while nobody else would be let in; null else. */
  public Admission.@Nullable Refused refuseWhileFull() {
    Limit bound = limit;
    int now = inFlight.get();
    return now < bound.most() ? null : refused(now, bound);
  }

  private Admission.Refused refused(int now, Limit bound) {
    refused.increment();
    return new Admission.Refused(reason, now, bound.most(), bound.retryAfter());
  }

  /** Asks to be let in. */
  public Admission ask() {
    Limit bound = limit;
    int now = inFlight.incrementAndGet();
    if (now <= bound.most()) {
      return new Admission.Admitted(new Permit(inFlight::decrementAndGet));
    }
    inFlight.decrementAndGet();
    return refused(now - 1, bound);
  }

  /** Requests let in and not finished. */
  public int inFlight() {
    return inFlight.get();
  }

  /** Requests refused so far. */
  public long refused() {
    return refused.sum();
  }
}
