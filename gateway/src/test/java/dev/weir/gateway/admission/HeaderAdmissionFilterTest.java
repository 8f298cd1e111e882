package dev.weir.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.admission.deadline.PolicyDeadlineResolver;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.core.actions.deadline.DeadlineCounts;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.http.intake.Delegation;
import dev.weir.http.intake.HeaderFilter;
import dev.weir.http.intake.HeaderFilter.Admit;
import dev.weir.http.intake.HeaderFilter.Delay;
import dev.weir.http.intake.HeaderFilter.Reject;
import dev.weir.http.intake.HeaderFilter.Result;
import dev.weir.http.proxy.ProxyFailure;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.testkit.fixtures.TestPolicies;
import dev.weir.testkit.fixtures.TestRequestHead;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HeaderAdmissionFilterTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Decision SEARCH = new Coordinate("search");
  private static final AdmissionPolicy POLICY =
      policy(
          """
          clusters: {main: {seeds: ["127.0.0.1:9300"]}}
          admission: {pacing: {rules: [{name: r, requests-per-second: 1, max-delay: 9s}]}}
          """);

  private final AtomicLong clock = new AtomicLong(50);
  private final ConcurrencyLimiter admission =
      new ConcurrencyLimiter(POLICY.maxInFlight(), POLICY.retryAfter());
  private final PolicyCompiler<PolicyBulkheads.Limits> terms =
      new PolicyCompiler<>(PolicyBulkheads.Limits.NONE);
  private final PolicyBulkheads bulkheads = new PolicyBulkheads(terms);
  private final RecentRoutingDecisions recent = RejectionRecorderTest.recent();
  private final DeadlineCounts deadlineCounts = new DeadlineCounts();
  private final HeaderAdmissionFilter gate =
      new HeaderAdmissionFilter(
          POLICY,
          new RequestLimits(admission, bulkheads, new RejectionRecorder(recent.rejections())),
          new PolicyDeadlineResolver(new PolicyCompiler<>(POLICY.deadline())),
          deadlineCounts,
          clock::get);

  private static AdmissionPolicy policy(String yaml) {
    return TestPolicies.parse(yaml).admission();
  }

  private HeaderFilter.Session visit(@Nullable String timeout, Decision way) {
    return Objects.requireNonNull(
        gate.startSession(search(timeout), way, RequestPolicy.NONE),
        "got no visit (expected: a limit concerns it)");
  }

  /** The result of a request that ends as soon as it is admitted or rejected. */
  private Result once(@Nullable String timeout, Decision way) {
    HeaderFilter.Session visit = visit(timeout, way);
    Result verdict = visit.tryAdmit();
    if (!(verdict instanceof Delay)) {
      visit.onRequestEnd(0);
    }
    return verdict;
  }

  private static TestRequestHead search(@Nullable String timeout) {
    TestRequestHead head = TestRequestHead.get("/a/_search").arrivedAt(50);
    return timeout == null ? head : head.with("X-Weir-Timeout", timeout);
  }

  @Test
  void rejectWithoutCostWhenPacingWouldExceedTheDeadline() {
    assertThat(once("100ms", SEARCH)).isEqualTo(Admit.NOW);
    for (int i = 0; i < 5; i++) {
      assertThat(once("100ms", SEARCH))
          .isInstanceOfSatisfying(
              Reject.class,
              refused -> {
                assertThat(refused.error().status()).isEqualTo(429);
                assertThat(refused.error().reason())
                    .contains(
                        "at most 100 ms, which its deadline of [100ms set by header"
                            + " X-Weir-Timeout]");
                assertThat(refused.headers()).containsEntry("Retry-After", "1");
                assertThat(recent.find(Long.toString(refused.requestId())))
                    .hasEntrySatisfying(
                        "rejections",
                        why -> assertThat(why).asString().contains("rejected_by=pacing"));
              });
    }
    assertThat(once("2s", SEARCH)).isEqualTo(new Delay(SECOND));
    assertThat(once(null, SEARCH)).isEqualTo(new Delay(2 * SECOND));
  }

  @Test
  void removeTheDeadlineHeaderOfPassedThroughRequests() {
    Decision through = new PassThrough("not-coordinated");
    assertThat(once("100ms", through)).isEqualTo(Admit.NOW);
    assertThat(once("100ms", through)).isEqualTo(new Delay(SECOND));
  }

  private Delegation delegate(@Nullable String timeout) {
    return gate.startDelegation(search(timeout), "_default", RequestPolicy.NONE);
  }

  private static ProxyFailure rejected(Delegation delegation) {
    assertThat(delegation).isInstanceOf(Delegation.Rejected.class);
    return ((Delegation.Rejected) delegation).failure();
  }

  @Test
  void paceDelegatedRequestsLikeCoordinatedOnes() {
    Decision delegated = PassThrough.delegated("security", "search");
    assertThat(once("100ms", delegated)).isEqualTo(Admit.NOW);
    assertThat(once("100ms", delegated)).isInstanceOf(Reject.class);
  }

  @Test
  void holdTheDeadlineOfADelegatedRequest() {
    Delegation.Started started = (Delegation.Started) delegate("100ms");
    assertThat(started.deadline().timeout()).isEqualTo(Duration.ofMillis(100));
    ProxyFailure late = started.expiry().get();
    assertThat(late.status()).isEqualTo(408);
    assertThat(late.type()).isEqualTo("deadline_exceeded_exception");
    assertThat(late.reason()).contains("[100ms], the deadline set by [header X-Weir-Timeout]");
    started.onEnd().accept(true);
    assertThat(deadlineCounts.total(DeadlineCounts.DeadlineOutcome.EXCEEDED)).isEqualTo(1);

    assertThat(late.isWithoutEffect()).isFalse();
    assertThat(late.kind()).isEqualTo("timed-out");

    assertThat(rejected(delegate("soon")).status()).isEqualTo(400);
    clock.addAndGet(SECOND);
    ProxyFailure tooLate = rejected(delegate("100ms"));
    assertThat(tooLate.status()).isEqualTo(408);
    assertThat(tooLate.isWithoutEffect()).as("nothing was sent").isTrue();
    assertThat(tooLate.kind()).isEqualTo("not-sent");
    assertThat(admission.inFlight()).isZero();
  }

  @Test
  void countDelegatedRequestsInFlight() {
    List<Delegation.Started> running = new ArrayList<>();
    for (int i = 0; i < POLICY.maxInFlight(); i++) {
      running.add((Delegation.Started) delegate(null));
    }
    ProxyFailure full = rejected(delegate(null));
    assertThat(full.status()).isEqualTo(429);
    assertThat(full.type()).isEqualTo("rejected_execution_exception");
    running.getFirst().onEnd().accept(false);
    assertThat(delegate(null)).isInstanceOf(Delegation.Started.class);
  }
}
