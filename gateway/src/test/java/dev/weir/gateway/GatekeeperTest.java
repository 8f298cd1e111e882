package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.Bulkheads;
import dev.weir.admission.deadline.RequestDeadlines;
import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.core.actions.explain.RecentChoices;
import dev.weir.http.HeadGate;
import dev.weir.http.HeadGate.Enter;
import dev.weir.http.HeadGate.Refuse;
import dev.weir.http.HeadGate.Verdict;
import dev.weir.http.HeadGate.Wait;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestHead;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter.Coordinate;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RequestRouter.Way;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GatekeeperTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Way SEARCH = new Coordinate("search");
  private static final AdmissionPolicy POLICY =
      policy(
          """
          clusters: {main: {seeds: ["127.0.0.1:9300"]}}
          admission: {pacing: {rules: [{name: r, requests-per-second: 1, max-delay: 9s}]}}
          """);

  private final AtomicLong clock = new AtomicLong(50);
  private final AdmissionController admission =
      new AdmissionController(POLICY.maxInFlight(), POLICY.retryAfter());
  private final PolicyCompiler<Bulkheads.Terms> terms = new PolicyCompiler<>(Bulkheads.Terms.NONE);
  private final Bulkheads bulkheads = new Bulkheads(terms);
  private final RecentChoices recent = KeptRefusalsTest.recent();
  private final Gatekeeper gate =
      new Gatekeeper(
          POLICY,
          admission,
          bulkheads,
          new RequestDeadlines(new PolicyCompiler<>(POLICY.deadline())),
          new KeptRefusals(recent.refusals()),
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
    public long bodyBytes() {
      return 0;
    }
  }

  private HeadGate.Visit visit(@Nullable String timeout, Way way) {
    return Objects.requireNonNull(
        gate.visit(new Head(timeout), way, RequestPolicy.NONE),
        "got no visit (expected: a limit concerns it)");
  }

  /** What becomes of one that is over as soon as it is in or refused. */
  private Verdict once(@Nullable String timeout, Way way) {
    HeadGate.Visit visit = visit(timeout, way);
    Verdict verdict = visit.ask();
    if (!(verdict instanceof Wait)) {
      visit.over(0);
    }
    return verdict;
  }

  @Test
  void refusesAtOnceWhoWouldBeHeldBackPastItsDeadlineAndTakesNothingOfIt() {
    assertThat(once("100ms", SEARCH)).isEqualTo(Enter.NOW);
    for (int i = 0; i < 5; i++) {
      assertThat(once("100ms", SEARCH))
          .isInstanceOfSatisfying(
              Refuse.class,
              refused -> {
                assertThat(refused.error().status()).isEqualTo(429);
                assertThat(refused.error().reason())
                    .contains(
                        "at most 100 ms, which its deadline of [100ms set by header"
                            + " X-Weir-Timeout]");
                assertThat(refused.headers()).containsEntry("Retry-After", "1");
                assertThat(recent.find(Long.toString(refused.number())))
                    .hasEntrySatisfying(
                        "refused", why -> assertThat(why).asString().contains("by=pacing"));
              });
    }
    assertThat(once("2s", SEARCH)).isEqualTo(new Wait(SECOND));
    assertThat(once(null, SEARCH)).isEqualTo(new Wait(2 * SECOND));
  }

  @Test
  void whatPassesThroughKeepsItsDeadlineToItself() {
    Way through = new PassThrough("not-coordinated");
    assertThat(once("100ms", through)).isEqualTo(Enter.NOW);
    assertThat(once("100ms", through)).isEqualTo(new Wait(SECOND));
  }
}
