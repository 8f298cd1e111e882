package dev.weir.gateway;

import dev.weir.admission.AdmissionDecision;
import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.PolicyBulkheads;
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
 * The gate by head of the policy in force: tells whose a request is, keeps it to its limits, and
 * refuses it while as many are in flight as may be; a place among those is taken only when its body
 * has come, so that slow senders take none. Safe on any thread.
 */
final class HeaderAdmissionFilter implements HeaderFilter {
  private static final int TOO_MANY_REQUESTS = 429;

  private final ConcurrencyLimiter admission;
  private final PolicyBulkheads bulkheads;
  private final RequestPacer pacer;
  private final PolicyDeadlineResolver deadlines;
  private final RejectionRecorder refusals;
  private volatile TenantResolver tenants;

  /**
   * Makes a gate.
   *
   * @param admission bounds the coordinated requests in flight
   * @param bulkheads bound those of their policies
   * @param deadlines past which none of those is held back
   * @param refusals keeps who was refused and why
   * @param nanoClock such as {@link System#nanoTime()}
   */
  HeaderAdmissionFilter(
      AdmissionPolicy policy,
      ConcurrencyLimiter admission,
      PolicyBulkheads bulkheads,
      PolicyDeadlineResolver deadlines,
      RejectionRecorder refusals,
      LongSupplier nanoClock) {
    this.refusals = refusals;
    this.admission = admission;
    this.bulkheads = bulkheads;
    this.deadlines = deadlines;
    this.pacer = new RequestPacer(policy.pacing(), nanoClock);
    this.tenants = new TenantResolver(policy.tenants());
  }

  /** Goes by another policy from now on. */
  void updatePolicy(AdmissionPolicy policy) {
    tenants = new TenantResolver(policy.tenants());
    pacer.updatePolicy(policy.pacing());
  }

  /** The limits in force. */
  RequestPacer pacer() {
    return pacer;
  }

  @Override
  public boolean admitsAll(RequestPolicy policy) {
    return pacer.hasNoRules() && tenants.isSingleTenant() && !isFull(policy);
  }

  private boolean isFull(RequestPolicy policy) {
    ConcurrencyLimiter own = bulkheads.limiterFor(policy);
    return admission.isFull() || (own != null && own.isFull());
  }

  /** Refuses one of whom only the head is known, while nobody else of its kind would be let in. */
  private AdmissionDecision.@Nullable Rejected rejectIfFull(RequestPolicy policy) {
    ConcurrencyLimiter own = bulkheads.limiterFor(policy);
    AdmissionDecision.Rejected full = own == null ? null : own.rejectIfFull();
    return full == null ? admission.rejectIfFull() : full;
  }

  @Override
  public @Nullable Session startSession(
      RequestHead head, RequestRouter.Decision way, RequestPolicy policy) {
    TenantResolver telling = tenants;
    String tenant =
        telling.isSingleTenant() ? RequestContext.DEFAULT_TENANT : telling.resolve(head);
    boolean bounded = !(way instanceof RequestRouter.PassThrough);
    PacedRequest turn =
        pacer.hasNoRules()
            ? null
            : pacer.start(head, tenant, bounded ? deadlines.resolve(head, policy) : Deadline.NONE);
    return turn == null && telling.isSingleTenant() && !(bounded && isFull(policy))
        ? null
        : new RequestVisit(head, tenant, turn, bounded ? policy : null);
  }

  /** A request on its way past the gate. */
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
            refusals.recordInFlight(head, tenant, full));
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
          refusals.recordPacing(head, tenant, refused));
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
