package dev.weir.gateway.admission;

import dev.weir.admission.AdmissionDecision;
import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.deadline.PolicyDeadlineResolver;
import dev.weir.admission.head.TenantResolver;
import dev.weir.admission.pace.PacedRequest;
import dev.weir.admission.pace.PacingDecision;
import dev.weir.admission.pace.RequestPacer;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.http.error.ErrorBody;
import dev.weir.http.intake.HeaderFilter;
import dev.weir.model.Deadline;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Determines a request's tenant from its headers, applies the rate limits, and rejects the request
 * while the maximum of coordinated requests is in flight. It takes no permit: {@link
 * ConcurrencyLimitFilter} does once the body has arrived, so that slow senders hold none. Safe on
 * any thread.
 */
public final class HeaderAdmissionFilter implements HeaderFilter {
  private static final int TOO_MANY_REQUESTS = 429;

  private final RequestLimits limits;
  private final RequestPacer pacer;
  private final PolicyDeadlineResolver deadlines;
  private volatile TenantResolver tenants;

  /**
   * Creates a filter.
   *
   * @param deadlines past which no coordinated request is delayed
   * @param nanoClock such as {@link System#nanoTime()}
   */
  public HeaderAdmissionFilter(
      AdmissionPolicy policy,
      RequestLimits limits,
      PolicyDeadlineResolver deadlines,
      LongSupplier nanoClock) {
    this.limits = limits;
    this.deadlines = deadlines;
    this.pacer = new RequestPacer(policy.pacing(), nanoClock);
    this.tenants = new TenantResolver(policy.tenants());
  }

  /** Puts a changed configuration in force. */
  public void updatePolicy(AdmissionPolicy policy) {
    tenants = new TenantResolver(policy.tenants());
    pacer.updatePolicy(policy.pacing());
  }

  /** The rate limits in force. */
  public RequestPacer pacer() {
    return pacer;
  }

  @Override
  public boolean admitsAll(RequestPolicy policy) {
    return pacer.hasNoRules() && tenants.isSingleTenant() && !isFull(policy);
  }

  private boolean isFull(RequestPolicy policy) {
    ConcurrencyLimiter own = limits.bulkheads().limiterFor(policy);
    return limits.concurrency().isFull() || (own != null && own.isFull());
  }

  /** Rejects a request, of which only the headers are known, while no permit is free. */
  private AdmissionDecision.@Nullable Rejected rejectIfFull(RequestPolicy policy) {
    ConcurrencyLimiter own = limits.bulkheads().limiterFor(policy);
    AdmissionDecision.Rejected full = own == null ? null : own.rejectIfFull();
    return full == null ? limits.concurrency().rejectIfFull() : full;
  }

  @Override
  public @Nullable Session startSession(
      RequestHead head, RequestRouter.Decision way, RequestPolicy policy) {
    TenantResolver resolver = tenants;
    String tenant =
        resolver.isSingleTenant() ? RequestContext.DEFAULT_TENANT : resolver.resolve(head);
    boolean bounded = !(way instanceof RequestRouter.PassThrough);
    PacedRequest turn =
        pacer.hasNoRules()
            ? null
            : pacer.start(head, tenant, bounded ? deadlines.resolve(head, policy) : Deadline.NONE);
    return turn == null && resolver.isSingleTenant() && !(bounded && isFull(policy))
        ? null
        : new RequestVisit(head, tenant, turn, bounded ? policy : null);
  }

  /** The admission of one request. Confined to its event loop. */
  private final class RequestVisit implements Session {
    private final RequestHead head;
    private final String tenant;
    private final @Nullable PacedRequest turn;
    private final @Nullable RequestPolicy inFlightPolicy;

    /**
     * Makes one.
     *
     * @param turn null when no limit concerns it
     * @param bounded by which policy it counts as in flight; null where it does not
     */
    RequestVisit(
        RequestHead head,
        String tenant,
        @Nullable PacedRequest turn,
        @Nullable RequestPolicy bounded) {
      this.head = head;
      this.tenant = tenant;
      this.turn = turn;
      this.inFlightPolicy = bounded;
    }

    @Override
    public String tenant() {
      return tenant;
    }

    @Override
    public Result tryAdmit() {
      AdmissionDecision.Rejected full =
          inFlightPolicy == null ? null : rejectIfFull(inFlightPolicy);
      if (full != null) {
        return new Reject(
            ConcurrencyLimitFilter.errorBody(full),
            ConcurrencyLimitFilter.retryHeaders(full),
            limits.rejections().recordInFlight(head, tenant, full));
      }
      if (turn == null) {
        return Admit.NOW;
      }
      return switch (turn.decide()) {
        case PacingDecision.Proceed _ -> Admit.NOW;
        case PacingDecision.Delay(long nanos) -> new Delay(nanos);
        case PacingDecision.Rejected refused -> rejectForPacing(refused);
      };
    }

    private Reject rejectForPacing(PacingDecision.Rejected refused) {
      return new Reject(
          new ErrorBody(
              TOO_MANY_REQUESTS,
              "rejected_execution_exception",
              refused.message(),
              refused.details(),
              null),
          Map.of("Retry-After", Long.toString(refused.retryAfterSeconds())),
          limits.rejections().recordPacing(head, tenant, refused));
    }

    @Override
    public void onBytesReceived(int bytes) {
      if (turn != null) {
        turn.onBodyReceived(bytes);
      }
    }

    @Override
    public void onRequestEnd(long answerBytes) {
      if (turn != null) {
        turn.end(answerBytes);
      }
    }
  }
}
