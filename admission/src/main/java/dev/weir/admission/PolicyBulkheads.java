package dev.weir.admission;

import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many requests of a policy are in flight at once, so that one route can't take all
 * places that there are. Whoever is in flight goes on counting when the bound is changed. Safe on
 * any thread.
 */
public final class PolicyBulkheads {
  private static final int UNBOUNDED = Integer.MAX_VALUE;

  private final RequestPolicy.Section<ConcurrencyLimiter> section;

  /**
   * What a policy says.
   *
   * @param maxInFlight requests at once; 0 for any number
   * @param retryAfter what those are told that are refused
   */
  public record Limits(int maxInFlight, Duration retryAfter) {
    /** No bound. */
    public static final Limits NONE = new Limits(0, Duration.ZERO);
  }

  /** Goes by what policies say of it. */
  public PolicyBulkheads(PolicySectionRegistry<Limits> sections) {
    this.section = sections.register(PolicyBulkheads::createLimiter);
  }

  private static ConcurrencyLimiter createLimiter(
      String name, Limits says, @Nullable ConcurrencyLimiter before) {
    int most = says.maxInFlight() == 0 ? UNBOUNDED : says.maxInFlight();
    return before == null
        ? new ConcurrencyLimiter(
            "too_many_requests_in_flight of policy " + name, most, says.retryAfter())
        : before.withLimit(most, says.retryAfter());
  }

  /** What lets in the requests of a policy; null where there is no bound. */
  public @Nullable ConcurrencyLimiter limiterFor(RequestPolicy policy) {
    ConcurrencyLimiter own = policy.get(section);
    return own.maxInFlight() == UNBOUNDED ? null : own;
  }
}
