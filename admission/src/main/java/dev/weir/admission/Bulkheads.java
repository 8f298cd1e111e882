package dev.weir.admission;

import dev.weir.model.PolicySections;
import dev.weir.model.RequestPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many requests of a policy are in flight at once, so that one route can't take all
 * places that there are. Whoever is in flight goes on counting when the bound is changed. Safe on
 * any thread.
 */
public final class Bulkheads {
  private static final int UNBOUNDED = Integer.MAX_VALUE;

  private final RequestPolicy.Section<AdmissionController> section;

  /**
   * What a policy says.
   *
   * @param most requests at once; 0 for any number
   * @param retryAfter what those are told that are refused
   */
  public record Terms(int most, Duration retryAfter) {
    /** No bound. */
    public static final Terms NONE = new Terms(0, Duration.ZERO);
  }

  /** Goes by what policies say of it. */
  public Bulkheads(PolicySections<Terms> sections) {
    this.section = sections.add(Bulkheads::made);
  }

  private static AdmissionController made(
      String name, Terms says, @Nullable AdmissionController before) {
    int most = says.most() == 0 ? UNBOUNDED : says.most();
    return before == null
        ? new AdmissionController(
            "too_many_requests_in_flight of policy " + name, most, says.retryAfter())
        : before.next(most, says.retryAfter());
  }

  /** What lets in the requests of a policy; null where there is no bound. */
  public @Nullable AdmissionController of(RequestPolicy policy) {
    AdmissionController own = policy.of(section);
    return own.most() == UNBOUNDED ? null : own;
  }
}
