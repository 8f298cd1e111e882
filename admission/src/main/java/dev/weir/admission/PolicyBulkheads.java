package dev.weir.admission;

import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the requests of each policy that are in flight at once, so that one route can't take all
 * places of the gateway. Requests in flight go on counting when a reload changes the bound. Safe on
 * any thread.
 */
public final class PolicyBulkheads {
  private static final int UNBOUNDED = Integer.MAX_VALUE;

  private final RequestPolicy.Section<ConcurrencyLimiter> section;

  /**
   * The bound of one policy.
   *
   * @param maxInFlight requests at once; 0 for any number
   * @param retryAfter the Retry-After of rejections
   */
  public record Limits(int maxInFlight, Duration retryAfter) {
    /** No bound. */
    public static final Limits NONE = new Limits(0, Duration.ZERO);
  }

  /** Registers the section of policies that holds their bounds. */
  public PolicyBulkheads(PolicySectionRegistry<Limits> sections) {
    this.section = sections.register(PolicyBulkheads::createLimiter);
  }

  private static ConcurrencyLimiter createLimiter(
      String policyName, Limits limits, @Nullable ConcurrencyLimiter previous) {
    int maxInFlight = limits.maxInFlight() == 0 ? UNBOUNDED : limits.maxInFlight();
    return previous == null
        ? new ConcurrencyLimiter(
            "too_many_requests_in_flight of policy " + policyName, maxInFlight, limits.retryAfter())
        : previous.withLimit(maxInFlight, limits.retryAfter());
  }

  /** The limiter of a policy; null where the policy has no bound. */
  public @Nullable ConcurrencyLimiter limiterFor(RequestPolicy policy) {
    ConcurrencyLimiter limiter = policy.get(section);
    return limiter.maxInFlight() == UNBOUNDED ? null : limiter;
  }
}
