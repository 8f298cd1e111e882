package dev.weir.gateway.admission;

import dev.weir.admission.AdmissionDecision;
import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.Permit;
import dev.weir.admission.deadline.PolicyDeadlineResolver;
import dev.weir.admission.head.ActionClassifier;
import dev.weir.admission.head.TenantResolver;
import dev.weir.admission.pace.PacedRequest;
import dev.weir.admission.pace.PacingDecision;
import dev.weir.admission.pace.RequestPacer;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.core.actions.deadline.DeadlineCounts;
import dev.weir.core.actions.deadline.DeadlineCounts.DeadlineOutcome;
import dev.weir.core.actions.deadline.DeadlineExceededException;
import dev.weir.http.error.ErrorBody;
import dev.weir.http.intake.Delegation;
import dev.weir.http.intake.HeaderFilter;
import dev.weir.http.proxy.ProxyFailure;
import dev.weir.http.proxy.ProxyFailure.Effect;
import dev.weir.model.Deadline;
import dev.weir.model.HttpStatus;
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

  private final RequestLimits limits;
  private final RequestPacer pacer;
  private final PolicyDeadlineResolver deadlines;
  private final DeadlineCounts deadlineCounts;
  private final LongSupplier nanoClock;
  private volatile TenantResolver tenants;

  /**
   * Creates a filter.
   *
   * @param deadlines a coordinated request is not delayed past its deadline
   * @param deadlineCounts counts the outcomes of requests that nodes carry out in its place
   * @param nanoClock a monotonic clock, in nanoseconds
   */
  public HeaderAdmissionFilter(
      AdmissionPolicy policy,
      RequestLimits limits,
      PolicyDeadlineResolver deadlines,
      DeadlineCounts deadlineCounts,
      LongSupplier nanoClock) {
    this.limits = limits;
    this.deadlines = deadlines;
    this.deadlineCounts = deadlineCounts;
    this.nanoClock = nanoClock;
    this.pacer = new RequestPacer(policy.pacing(), nanoClock);
    this.tenants = new TenantResolver(policy.tenants());
  }

  /** Applies a changed configuration. */
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
      RequestHead head, RequestRouter.Decision decision, RequestPolicy policy) {
    TenantResolver resolver = tenants;
    String tenant =
        resolver.isSingleTenant() ? RequestContext.DEFAULT_TENANT : resolver.resolve(head);
    boolean coordinated =
        !(decision instanceof RequestRouter.PassThrough through)
            || through.delegatedAction() != null;
    PacedRequest pacedRequest =
        pacer.hasNoRules()
            ? null
            : pacer.start(
                head, tenant, coordinated ? deadlines.resolve(head, policy) : Deadline.NONE);
    return pacedRequest == null && resolver.isSingleTenant() && !(coordinated && isFull(policy))
        ? null
        : new HeaderAdmission(head, tenant, pacedRequest, coordinated ? policy : null);
  }

  @Override
  public Delegation startDelegation(RequestHead head, String tenant, RequestPolicy policy) {
    Deadline deadline;
    try {
      deadline = deadlines.resolveReadable(head, policy);
    } catch (IllegalArgumentException unreadable) {
      String reason = String.valueOf(unreadable.getMessage());
      return new Delegation.Rejected(
          ProxyFailure.withoutEffect(HttpStatus.BAD_REQUEST, "illegal_argument_exception", reason),
          0);
    }
    boolean write = ActionClassifier.mayChangeDocuments(head.method(), head.uri());
    if (deadline.hasPassed(nanoClock.getAsLong())) {
      deadlineCounts.increment(DeadlineOutcome.EXPIRED_ON_ARRIVAL);
      return new Delegation.Rejected(expiry(Effect.NONE, deadline, write), 0);
    }
    return switch (limits.tryAcquire(policy)) {
      case AdmissionDecision.Rejected full ->
          new Delegation.Rejected(
              ProxyFailure.withoutEffect(
                  HttpStatus.TOO_MANY_REQUESTS, "rejected_execution_exception", full.message()),
              limits.rejections().recordInFlight(head, tenant, full));
      case AdmissionDecision.Admitted(Permit permit) ->
          new Delegation.Started(
              deadline,
              () -> expiry(Effect.UNCERTAIN, deadline, write),
              expired -> {
                permit.close();
                if (deadline.isSet()) {
                  deadlineCounts.increment(
                      expired ? DeadlineOutcome.EXCEEDED : DeadlineOutcome.MET);
                }
              });
    };
  }

  private static ProxyFailure expiry(Effect effect, Deadline deadline, boolean write) {
    DeadlineExceededException late =
        write
            ? DeadlineExceededException.forWrite(
                deadline,
                switch (effect) {
                  case NONE -> DeadlineExceededException.WriteState.NOT_WRITTEN;
                  case UNCERTAIN -> DeadlineExceededException.WriteState.UNKNOWN;
                })
            : DeadlineExceededException.forRead(deadline);
    return new ProxyFailure(
        effect,
        late.statusCode(),
        "deadline_exceeded_exception",
        String.valueOf(late.getMessage()));
  }

  /** The admission of one request. Confined to its event loop. */
  private final class HeaderAdmission implements Session {
    private final RequestHead head;
    private final String tenant;
    private final @Nullable PacedRequest pacedRequest;
    private final @Nullable RequestPolicy inFlightPolicy;

    /**
     * Creates the admission of a request.
     *
     * @param pacedRequest the request at its rate limits; null when no limit applies
     * @param inFlightPolicy the policy that bounds its requests in flight; null for a request that
     *     passes through and could not be coordinated
     */
    HeaderAdmission(
        RequestHead head,
        String tenant,
        @Nullable PacedRequest pacedRequest,
        @Nullable RequestPolicy inFlightPolicy) {
      this.head = head;
      this.tenant = tenant;
      this.pacedRequest = pacedRequest;
      this.inFlightPolicy = inFlightPolicy;
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
      if (pacedRequest == null) {
        return Admit.NOW;
      }
      return switch (pacedRequest.decide()) {
        case PacingDecision.Proceed _ -> Admit.NOW;
        case PacingDecision.Delay(long nanos) -> new Delay(nanos);
        case PacingDecision.Rejected rejected -> rejectForPacing(rejected);
      };
    }

    private Reject rejectForPacing(PacingDecision.Rejected rejected) {
      return new Reject(
          new ErrorBody(
              HttpStatus.TOO_MANY_REQUESTS,
              "rejected_execution_exception",
              rejected.message(),
              rejected.details(),
              null),
          Map.of("Retry-After", Long.toString(rejected.retryAfterSeconds())),
          limits.rejections().recordPacing(head, tenant, rejected));
    }

    @Override
    public void onBytesReceived(int bytes) {
      if (pacedRequest != null) {
        pacedRequest.onBodyReceived(bytes);
      }
    }

    @Override
    public void onRequestEnd(long answerBytes) {
      if (pacedRequest != null) {
        pacedRequest.end(answerBytes);
      }
    }
  }
}
