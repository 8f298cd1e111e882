package dev.weir.admission;

import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits the requests in flight of each policy, so that one route can't use up the gateway's limit.
 * Requests in flight still count after a reload changes the limit. Safe on any thread.
 */
public final class PolicyBulkheads {
  private static final int UNBOUNDED = Integer.MAX_VALUE;

  private final RequestPolicy.Section<ConcurrencyLimiter> section;

  /**
   * The limit of one policy.
   *
   * @param maxInFlight requests in flight; 0 for no limit
   * @param retryAfter the {@code Retry-After} of rejections
   */
  public record Limits(int maxInFlight, Duration retryAfter) {
    /** No limit. */
    public static final Limits NONE = new Limits(0, Duration.ZERO);
  }

  /** Registers the policies' section with their limits. */
  public PolicyBulkheads(PolicySectionRegistry<Limits> sections) {
    this.section = sections.register(PolicyBulkheads::createLimiter);
  }

  private static ConcurrencyLimiter createLimiter(
      String policyName, Limits limits, @Nullable ConcurrencyLimiter previous) {
    int maxInFlight = limits.maxInFlight() == 0 ? UNBOUNDED : limits.maxInFlight();
    return previous == null
        ? ConcurrencyLimiter.ofPolicy(policyName, maxInFlight, limits.retryAfter())
        : previous.withLimit(maxInFlight, limits.retryAfter());
  }

  /** Returns the limiter of a policy; null when the policy has no limit. */
  public @Nullable ConcurrencyLimiter limiterFor(RequestPolicy policy) {
    ConcurrencyLimiter limiter = policy.get(section);
    return limiter.maxInFlight() == UNBOUNDED ? null : limiter;
  }
}
