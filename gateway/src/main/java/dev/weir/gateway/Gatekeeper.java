package dev.weir.gateway;

import dev.weir.admission.Admission;
import dev.weir.admission.AdmissionController;
import dev.weir.admission.Bulkheads;
import dev.weir.admission.deadline.RequestDeadlines;
import dev.weir.admission.head.Tenants;
import dev.weir.admission.pace.Pace;
import dev.weir.admission.pace.Pacer;
import dev.weir.admission.pace.Turn;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.http.ErrorBody;
import dev.weir.http.HeadGate;
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
final class Gatekeeper implements HeadGate {
  private static final int TOO_MANY_REQUESTS = 429;

  private final AdmissionController admission;
  private final Bulkheads bulkheads;
  private final Pacer pacer;
  private final RequestDeadlines deadlines;
  private final KeptRefusals refusals;
  private volatile Tenants tenants;

  /**
   * Makes a gate.
   *
   * @param admission bounds the coordinated requests in flight
   * @param bulkheads bound those of their policies
   * @param deadlines past which none of those is held back
   * @param refusals keeps who was refused and why
   * @param nanoClock such as {@link System#nanoTime()}
   */
  Gatekeeper(
      AdmissionPolicy policy,
      AdmissionController admission,
      Bulkheads bulkheads,
      RequestDeadlines deadlines,
      KeptRefusals refusals,
      LongSupplier nanoClock) {
    this.refusals = refusals;
    this.admission = admission;
    this.bulkheads = bulkheads;
    this.deadlines = deadlines;
    this.pacer = new Pacer(policy.pacing(), nanoClock);
    this.tenants = new Tenants(policy.tenants());
  }

  /** Goes by another policy from now on. */
  void use(AdmissionPolicy policy) {
    tenants = new Tenants(policy.tenants());
    pacer.use(policy.pacing());
  }

  /** The limits in force. */
  Pacer pacer() {
    return pacer;
  }

  @Override
  public boolean open(RequestPolicy policy) {
    return pacer.idle() && tenants.one() && !full(policy);
  }

  private boolean full(RequestPolicy policy) {
    AdmissionController own = bulkheads.of(policy);
    return admission.full() || (own != null && own.full());
  }

  /** Refuses one of whom only the head is known, while nobody else of its kind would be let in. */
  private Admission.@Nullable Refused refuseWhileFull(RequestPolicy policy) {
    AdmissionController own = bulkheads.of(policy);
    Admission.Refused full = own == null ? null : own.refuseWhileFull();
    return full == null ? admission.refuseWhileFull() : full;
  }

  @Override
  public @Nullable Visit visit(RequestHead head, RequestRouter.Way way, RequestPolicy policy) {
    Tenants telling = tenants;
    String tenant = telling.one() ? RequestContext.DEFAULT_TENANT : telling.of(head);
    boolean bounded = !(way instanceof RequestRouter.PassThrough);
    Turn turn =
        pacer.idle()
            ? null
            : pacer.turn(head, tenant, bounded ? deadlines.of(head, policy) : Deadline.NONE);
    return turn == null && telling.one() && !(bounded && full(policy))
        ? null
        : new Passing(head, tenant, turn, bounded ? policy : null);
  }

  /** A request on its way past the gate. */
  private final class Passing implements Visit {
    private final RequestHead head;
    private final String tenant;
    private final @Nullable Turn turn;
    private final @Nullable RequestPolicy bounded;

    /**
     * Makes one.
     *
     * @param turn null when no limit concerns it
     * @param bounded by which policy it counts as in flight; null where it does not
     */
    Passing(RequestHead head, String tenant, @Nullable Turn turn, @Nullable RequestPolicy bounded) {
      this.head = head;
      this.tenant = tenant;
      this.turn = turn;
      this.bounded = bounded;
    }

    @Override
    public String tenant() {
      return tenant;
    }

    @Override
    public Verdict ask() {
      Admission.Refused full = bounded == null ? null : refuseWhileFull(bounded);
      if (full != null) {
        return new Refuse(
            AdmittingHandler.error(full),
            AdmittingHandler.headers(full),
            refusals.inFlight(head, tenant, full));
      }
      if (turn == null) {
        return Enter.NOW;
      }
      return switch (turn.ask()) {
        case Pace.Go _ -> Enter.NOW;
        case Pace.Hold(long nanos) -> new Wait(nanos);
        case Pace.Refused refused -> tooFast(refused);
      };
    }

    private Refuse tooFast(Pace.Refused refused) {
      return new Refuse(
          new ErrorBody(
              TOO_MANY_REQUESTS,
              "rejected_execution_exception",
              refused.message(),
              refused.details(),
              null),
          Map.of("Retry-After", Long.toString(refused.retryAfterSeconds())),
          refusals.pacing(head, tenant, refused));
    }

    @Override
    public void received(int bytes) {
      if (turn != null) {
        turn.received(bytes);
      }
    }

    @Override
    public void over(long answerBytes) {
      if (turn != null) {
        turn.end(answerBytes);
      }
    }
  }
}
