package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.admission.deadline.PolicyDeadlineResolver;
import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.http.intake.HeaderFilter;
import dev.weir.http.intake.HeaderFilter.Admit;
import dev.weir.http.intake.HeaderFilter.Delay;
import dev.weir.http.intake.HeaderFilter.Reject;
import dev.weir.http.intake.HeaderFilter.Result;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
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
  private final HeaderAdmissionFilter gate =
      new HeaderAdmissionFilter(
          POLICY,
          admission,
          bulkheads,
          new PolicyDeadlineResolver(new PolicyCompiler<>(POLICY.deadline())),
          new RejectionRecorder(recent.rejections()),
          clock::get);

  private static AdmissionPolicy policy(String yaml) {
    LoadResult read = new PolicyLoader(Map.of()).parse("weir.yaml", yaml);
    return ((LoadResult.Loaded) read).policy().admission();
  }

  /** A search that came at 50 ns. */
  private record Head(@Nullable String timeout) implements RequestHead {
    @Override
    public String method() {
      return "GET";
    }

    @Override
    public String uri() {
      return "/a/_search";
    }

    @Override
    public @Nullable String header(String name) {
      return name.equals("X-Weir-Timeout") ? timeout : null;
    }

    @Override
    public List<String> headers(String name) {
      String value = header(name);
      return value == null ? List.of() : List.of(value);
    }

    @Override
    public long arrivedNanos() {
      return 50;
    }

    @Override
    public SocketAddress remoteAddress() {
      return InetSocketAddress.createUnresolved("client", 1);
    }

    @Override
    public long contentLength() {
      return 0;
    }
  }

  private HeaderFilter.Session visit(@Nullable String timeout, Decision way) {
    return Objects.requireNonNull(
        gate.startSession(new Head(timeout), way, RequestPolicy.NONE),
        "got no visit (expected: a limit concerns it)");
  }

  /** What becomes of one that is over as soon as it is in or refused. */
  private Result once(@Nullable String timeout, Decision way) {
    HeaderFilter.Session visit = visit(timeout, way);
    Result verdict = visit.tryAdmit();
    if (!(verdict instanceof Delay)) {
      visit.onRequestEnd(0);
    }
    return verdict;
  }

  @Test
  void refusesAtOnceWhoWouldBeHeldBackPastItsDeadlineAndTakesNothingOfIt() {
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
  void whatPassesThroughKeepsItsDeadlineToItself() {
    Decision through = new PassThrough("not-coordinated");
    assertThat(once("100ms", through)).isEqualTo(Admit.NOW);
    assertThat(once("100ms", through)).isEqualTo(new Delay(SECOND));
  }
}
