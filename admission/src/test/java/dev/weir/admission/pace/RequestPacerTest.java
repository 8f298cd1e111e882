package dev.weir.admission.pace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.PacingPolicy;
import dev.weir.config.policy.PacingPolicy.Action;
import dev.weir.config.policy.PacingPolicy.LimitKey;
import dev.weir.model.Deadline;
import dev.weir.model.RequestHead;
import dev.weir.testkit.fixtures.TestRequestHead;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestPacerTest {
  private static final long SECOND = 1_000_000_000L;

  private final AtomicLong clock = new AtomicLong(-7 * SECOND);

  private static TestRequestHead get(String uri) {
    return from("10.0.0.1", uri);
  }

  private static TestRequestHead from(String address, String uri) {
    return TestRequestHead.get(uri).from(new InetSocketAddress(address, 4000));
  }

  private static TestRequestHead post(String uri, long bytes) {
    return TestRequestHead.of("POST", uri)
        .from(new InetSocketAddress("10.0.0.1", 4000))
        .withContentLength(bytes);
  }

  private RequestPacer pacer(TestPacingRule... rules) {
    return new RequestPacer(TestPacingRule.policy(100, rules), clock::get);
  }

  private static PacedRequest start(RequestPacer pacer, RequestHead head, String tenant) {
    PacedRequest request = pacer.start(head, tenant, Deadline.NONE);
    return Objects.requireNonNull(request, "got no paced request (expected: a rule that matches)");
  }

  /** The decision on a request that ends at once unless it is delayed. */
  private static PacingDecision once(RequestPacer pacer, RequestHead head, String tenant) {
    PacedRequest request = pacer.start(head, tenant, Deadline.NONE);
    if (request == null) {
      return PacingDecision.PROCEED;
    }
    PacingDecision pace = request.decide();
    if (!(pace instanceof PacingDecision.Delay)) {
      request.end(0);
    }
    return pace;
  }

  private static RequestPacer.RuleStats count(RequestPacer pacer, String rule) {
    return pacer.ruleStats().stream().filter(c -> c.rule().equals(rule)).findFirst().orElseThrow();
  }

  @Test
  void limitNothingWithoutRule() {
    RequestPacer pacer = pacer();
    assertThat(pacer.hasNoRules()).isTrue();
    assertThat(pacer.start(get("/"), "a", Deadline.NONE)).isNull();
  }

  @Test
  void delayThenRejectBeyondMaxDelay() {
    RequestPacer pacer =
        pacer(TestPacingRule.named("slow").requests(2, 1).holding(Duration.ofSeconds(1)));
    assertThat(once(pacer, get("/"), "a")).isEqualTo(PacingDecision.PROCEED);
    PacedRequest second = start(pacer, get("/"), "a");
    assertThat(second.decide()).isEqualTo(new PacingDecision.Delay(SECOND / 2));
    assertThat(start(pacer, get("/"), "a").decide()).isEqualTo(new PacingDecision.Delay(SECOND));
    PacingDecision.Rejected refused = (PacingDecision.Rejected) once(pacer, get("/"), "a");
    assertThat(refused)
        .isEqualTo(
            new PacingDecision.Rejected(
                "slow",
                "",
                new PacingDecision.Rate("requests", 2, 1),
                3 * SECOND / 2,
                SECOND,
                Deadline.NONE));
    assertThat(refused.retryAfterSeconds()).isEqualTo(2);
    assertThat(refused.message())
        .isEqualTo(
            "rejected by the gateway: rate_limit [slow], got a request that would have had to wait"
                + " 1500 ms (expected: at most 1000 ms, at 2 requests a second with a burst of 1);"
                + " retry after 2 s, or raise the rate of this rule in admission.pacing");
    assertThat(refused.details())
        .containsEntry("rule", "slow")
        .containsEntry("per_second", 2L)
        .containsEntry("delay_ms", 1500L);
    assertThat(pacer.delayedRequests()).isEqualTo(2);

    clock.addAndGet(SECOND / 4);
    assertThat(second.decide()).isEqualTo(new PacingDecision.Delay(SECOND / 4));
    clock.addAndGet(SECOND / 4);
    assertThat(second.decide()).isEqualTo(PacingDecision.PROCEED);
    assertThat(second.decide()).isEqualTo(PacingDecision.PROCEED);
    assertThat(pacer.delayedRequests()).isEqualTo(1);
    RequestPacer.RuleStats count = count(pacer, "slow");
    assertThat(count.passed()).isEqualTo(1);
    assertThat(count.delayed()).isEqualTo(2);
    assertThat(count.delayNanos()).isEqualTo(3 * SECOND / 2);
    assertThat(count.rejected()).isEqualTo(1);
  }

  @Test
  void returnTokenOfDisconnectedRequest() {
    RequestPacer pacer = pacer(TestPacingRule.named("r").holding(Duration.ofSeconds(1)));
    once(pacer, get("/"), "a");
    PacedRequest leaves = start(pacer, get("/"), "a");
    assertThat(leaves.decide()).isInstanceOf(PacingDecision.Delay.class);
    leaves.end(0);
    leaves.end(0);
    assertThat(pacer.delayedRequests()).isZero();
    assertThat(start(pacer, get("/"), "a").decide()).isEqualTo(new PacingDecision.Delay(SECOND));
  }

  @Test
  void takeNoTokenUnlessAllRulesPass() {
    RequestPacer pacer =
        pacer(
            TestPacingRule.named("tight"),
            TestPacingRule.named("wide").requests(1, 3),
            TestPacingRule.named("tenant").requests(1, 2).by(LimitKey.TENANT));
    assertThat(once(pacer, get("/"), "a")).isEqualTo(PacingDecision.PROCEED);
    for (int i = 0; i < 10; i++) {
      assertThat(once(pacer, get("/"), "a")).isInstanceOf(PacingDecision.Rejected.class);
    }
    assertThat(count(pacer, "tight").rejected()).isEqualTo(10);
    pacer.updatePolicy(
        TestPacingRule.policy(
            100,
            TestPacingRule.named("wide").requests(1, 3),
            TestPacingRule.named("tenant").requests(1, 2).by(LimitKey.TENANT)));
    assertThat(once(pacer, get("/"), "a")).isEqualTo(PacingDecision.PROCEED);
    assertThat(((PacingDecision.Rejected) once(pacer, get("/"), "a")).rule()).isEqualTo("tenant");
    assertThat(once(pacer, get("/"), "b")).isEqualTo(PacingDecision.PROCEED);
    assertThat(((PacingDecision.Rejected) once(pacer, get("/"), "c")).rule()).isEqualTo("wide");
  }

  @Test
  void matchTenantIndexActionAndMethod() {
    RequestPacer pacer =
        pacer(
            TestPacingRule.named("r")
                .matching(List.of("g*"), List.of("logs-*"), Action.SEARCH, Action.BULK));
    List<RequestHead> others =
        List.of(get("/logs-1/_doc/1"), get("/shop/_search"), get("/_cat/indices"), get("/"));
    for (RequestHead other : others) {
      assertThat(pacer.start(other, "gold", Deadline.NONE)).as(other.uri()).isNull();
    }
    assertThat(pacer.start(get("/logs-1/_search"), "silver", Deadline.NONE)).isNull();
    List<RequestHead> concerned =
        List.of(
            get("/logs-1/_search"),
            get("/shop,logs-2/_count"),
            get("/_search"),
            get("/lo*/_search"),
            get("/_all/_search"),
            post("/_bulk", 5),
            get("/%6Cogs-1/_search?x"));
    for (RequestHead one : concerned) {
      assertThat(pacer.start(one, "gold", Deadline.NONE)).as(one.uri()).isNotNull();
    }
  }

  @Test
  void limitEachKeySeparately() {
    RequestPacer byIndex = pacer(TestPacingRule.named("r").by(LimitKey.INDEX));
    assertThat(once(byIndex, get("/a/_search"), "t")).isEqualTo(PacingDecision.PROCEED);
    assertThat(once(byIndex, get("/b/_search"), "t")).isEqualTo(PacingDecision.PROCEED);
    PacingDecision.Rejected refused =
        (PacingDecision.Rejected) once(byIndex, get("/c,b/_search"), "t");
    assertThat(refused.key()).isEqualTo("b");
    assertThat(refused.message()).contains("rate_limit [r] of [b], got");
    assertThat(once(byIndex, get("/c/_search"), "t")).isEqualTo(PacingDecision.PROCEED);
    assertThat(once(byIndex, get("/1,2,3,4,5,6,7,8,9/_search"), "t"))
        .isEqualTo(PacingDecision.PROCEED);
    assertThat(once(byIndex, get("/9,8,7,6,5,4,3,2,0/_search"), "t"))
        .isInstanceOf(PacingDecision.Rejected.class);

    RequestPacer byAddress = pacer(TestPacingRule.named("r").by(LimitKey.CLIENT_ADDRESS));
    assertThat(once(byAddress, from("2001:db8::1", "/"), "t")).isEqualTo(PacingDecision.PROCEED);
    assertThat(once(byAddress, from("2001:db8::2", "/"), "t"))
        .isInstanceOf(PacingDecision.Rejected.class);
    assertThat(once(byAddress, from("10.0.0.2", "/"), "t")).isEqualTo(PacingDecision.PROCEED);
  }

  /** Bytes of others have used up the rate that does not count here. */
  @Test
  void nameTheRateThatRejects() {
    RequestPacer pacer = pacer(TestPacingRule.named("r").requests(1, 1).withBytes(100, 1000));
    PacedRequest chunked = start(pacer, post("/_bulk", -1), "t");
    assertThat(chunked.decide()).isEqualTo(PacingDecision.PROCEED);
    chunked.onBodyReceived(500_000);
    chunked.end(99);
    PacingDecision.Rejected refused = (PacingDecision.Rejected) once(pacer, get("/"), "t");
    assertThat(refused.rate()).isEqualTo(new PacingDecision.Rate("requests", 1, 1));
  }

  @Test
  void countBytesOfBodies() {
    RequestPacer pacer = pacer(TestPacingRule.named("r").bytes(100, 1000));
    assertThat(once(pacer, post("/_bulk", 1000), "t")).isEqualTo(PacingDecision.PROCEED);
    assertThat(once(pacer, get("/"), "t"))
        .as("one without a body")
        .isEqualTo(PacingDecision.PROCEED);
    PacingDecision.Rejected refused =
        (PacingDecision.Rejected) once(pacer, post("/_bulk", 100), "t");
    assertThat(refused.rate()).isEqualTo(new PacingDecision.Rate("bytes", 100, 1000));
    assertThat(refused.delayNanos()).isEqualTo(SECOND);
    clock.addAndGet(SECOND);
    PacedRequest chunked = start(pacer, post("/_bulk", -1), "t");
    assertThat(chunked.decide()).isEqualTo(PacingDecision.PROCEED);
    chunked.onBodyReceived(300);
    chunked.end(99);
    chunked.onBodyReceived(300);
    assertThat(((PacingDecision.Rejected) once(pacer, post("/_bulk", -1), "t")).delayNanos())
        .isEqualTo(2 * SECOND);
    PacedRequest announced = start(pacer, get("/"), "t");
    announced.decide();
    announced.onBodyReceived(300);
    assertThat(((PacingDecision.Rejected) once(pacer, post("/_bulk", 1), "t")).delayNanos())
        .isEqualTo(201 * SECOND / 100);
  }

  @Test
  void countResponseBytesOnRequest() {
    RequestPacer pacer = pacer(TestPacingRule.named("r").bytes(100, 1000).countingResponses());
    PacedRequest first = start(pacer, get("/_search"), "t");
    assertThat(first.decide()).isEqualTo(PacingDecision.PROCEED);
    first.end(1500);
    assertThat(((PacingDecision.Rejected) once(pacer, get("/_search"), "t")).delayNanos())
        .isEqualTo(5 * SECOND);
  }

  @Test
  void onlyCountInDryRun() {
    TestPacingRule wide = TestPacingRule.named("wide").requests(1, 5);
    RequestPacer pacer =
        pacer(TestPacingRule.named("dry").holding(Duration.ofSeconds(1)).dry(), wide);
    for (int i = 0; i < 5; i++) {
      assertThat(once(pacer, get("/"), "t")).isEqualTo(PacingDecision.PROCEED);
    }
    assertThat(once(pacer, get("/"), "t")).isInstanceOf(PacingDecision.Rejected.class);
    RequestPacer.RuleStats dry = count(pacer, "dry");
    assertThat(dry.dryRun()).isTrue();
    assertThat(List.of(dry.passed(), dry.delayed(), dry.rejected())).containsOnly(0L);
    assertThat(List.of(dry.dryRunPassed(), dry.dryRunDelayed(), dry.dryRunRejected()))
        .containsExactly(1L, 1L, 4L);
    assertThat(pacer.delayedRequests()).isZero();
  }

  @Test
  void countInDryRunWhatAnotherRuleRejects() {
    RequestPacer pacer =
        pacer(TestPacingRule.named("dry").requests(1, 5).dry(), TestPacingRule.named("r"));
    assertThat(once(pacer, get("/"), "t")).isEqualTo(PacingDecision.PROCEED);
    for (int i = 0; i < 9; i++) {
      assertThat(once(pacer, get("/"), "t")).isInstanceOf(PacingDecision.Rejected.class);
    }
    assertThat(count(pacer, "dry").dryRunPassed()).isEqualTo(10);
  }

  @Test
  void keepBucketsOfUnchangedRuleOnReload() {
    TestPacingRule rule = TestPacingRule.named("r").by(LimitKey.TENANT);
    RequestPacer pacer = pacer(rule);
    assertThat(once(pacer, get("/"), "a")).isEqualTo(PacingDecision.PROCEED);
    pacer.updatePolicy(
        TestPacingRule.policy(
            50,
            TestPacingRule.named("other").requests(1, 100),
            rule.holding(Duration.ofMillis(1))));
    assertThat(once(pacer, get("/"), "a")).isInstanceOf(PacingDecision.Rejected.class);
    assertThat(count(pacer, "r").passed()).isEqualTo(1);
    pacer.updatePolicy(TestPacingRule.policy(50, rule.requests(2, 1)));
    assertThat(once(pacer, get("/"), "a"))
        .as("another rate starts with a full bucket")
        .isEqualTo(PacingDecision.PROCEED);
    assertThat(count(pacer, "r").passed()).isEqualTo(2);
  }

  @Test
  void finishDelayedRequestByOldRules() {
    RequestPacer pacer = pacer(TestPacingRule.named("r").holding(Duration.ofSeconds(9)));
    once(pacer, get("/"), "t");
    PacedRequest held = start(pacer, get("/"), "t");
    assertThat(held.decide()).isInstanceOf(PacingDecision.Delay.class);
    pacer.updatePolicy(PacingPolicy.none());
    assertThat(pacer.hasNoRules()).isTrue();
    clock.addAndGet(SECOND);
    assertThat(held.decide()).isEqualTo(PacingDecision.PROCEED);
    held.end(0);
    assertThat(pacer.delayedRequests()).isZero();
  }

  @Test
  void shareOneBucketBeyondMaxKeys() {
    RequestPacer pacer =
        new RequestPacer(
            TestPacingRule.policy(3, TestPacingRule.named("r").by(LimitKey.TENANT)), clock::get);
    for (String tenant : List.of("a", "b", "c")) {
      assertThat(once(pacer, get("/"), tenant)).isEqualTo(PacingDecision.PROCEED);
    }
    assertThat(once(pacer, get("/"), "d"))
        .as("the first that shares")
        .isEqualTo(PacingDecision.PROCEED);
    for (int i = 0; i < 50; i++) {
      PacingDecision.Rejected refused = (PacingDecision.Rejected) once(pacer, get("/"), "x" + i);
      assertThat(refused.key()).isEqualTo("_others");
    }
    assertThat(once(pacer, get("/"), "a")).isInstanceOf(PacingDecision.Rejected.class);
    assertThat(count(pacer, "r").keys()).isEqualTo(3);
    assertThat(count(pacer, "r").sharedKeys()).isEqualTo(51);
    clock.addAndGet(SECOND);
    assertThat(once(pacer, get("/"), "e"))
        .as("instead of one that is full")
        .isEqualTo(PacingDecision.PROCEED);
    assertThat(count(pacer, "r").keys()).isEqualTo(3);
    assertThat(((PacingDecision.Rejected) once(pacer, get("/"), "e")).key()).isEqualTo("e");
  }

  @Test
  void keepBucketInUse() {
    RequestPacer pacer =
        new RequestPacer(
            TestPacingRule.policy(1, TestPacingRule.named("r").by(LimitKey.TENANT)), clock::get);
    PacedRequest running = start(pacer, post("/", -1), "a");
    assertThat(running.decide()).isEqualTo(PacingDecision.PROCEED);
    clock.addAndGet(10 * SECOND);
    assertThat(once(pacer, get("/"), "b")).isEqualTo(PacingDecision.PROCEED);
    assertThat(count(pacer, "r").sharedKeys()).isEqualTo(1);
    running.end(0);
    assertThat(once(pacer, get("/"), "b")).isEqualTo(PacingDecision.PROCEED);
    assertThat(count(pacer, "r").sharedKeys()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void endWithNothingDelayedAfterRandomRequests(long seed) {
    Random random = new Random(seed);
    TestPacingRule tenant =
        TestPacingRule.named("t")
            .requests(50, 5)
            .by(LimitKey.TENANT)
            .holding(Duration.ofMillis(100));
    TestPacingRule index =
        TestPacingRule.named("i")
            .bytes(5000, 2000)
            .by(LimitKey.INDEX)
            .holding(Duration.ofMillis(300));
    TestPacingRule dry = TestPacingRule.named("d").requests(3, 1).by(LimitKey.INDEX).dry();
    RequestPacer pacer = new RequestPacer(TestPacingRule.policy(4, tenant, index, dry), clock::get);
    List<PacedRequest> open = new ArrayList<>();
    long passed = 0;
    for (int i = 0; i < 5000; i++) {
      clock.addAndGet((long) (random.nextDouble() * SECOND / 50));
      if (random.nextInt(100) == 0) {
        pacer.updatePolicy(
            random.nextBoolean()
                ? TestPacingRule.policy(4, tenant, index, dry)
                : TestPacingRule.policy(3, index, tenant));
      }
      String uri = "/" + (char) ('a' + random.nextInt(6)) + ",b/_search";
      PacedRequest request =
          start(pacer, post(uri, random.nextInt(400) - 1), "t" + random.nextInt(8));
      open.add(request);
      PacingDecision pace = request.decide();
      if (pace instanceof PacingDecision.Delay(long nanos)) {
        assertThat(nanos).isPositive().isLessThanOrEqualTo(300_000_000L);
      } else if (pace instanceof PacingDecision.Proceed) {
        passed++;
        request.onBodyReceived(random.nextInt(500));
      }
      if (random.nextInt(3) > 0) {
        open.remove(random.nextInt(open.size())).end(random.nextInt(1000));
      }
    }
    open.forEach(request -> request.end(1));
    assertThat(passed).isPositive();
    assertThat(pacer.delayedRequests()).isZero();
    for (int i = 0; i < 20; i++) {
      clock.addAndGet(7200 * SECOND);
      assertThat(once(pacer, post("/z" + i + "/_search", 9), "z" + i))
          .isEqualTo(PacingDecision.PROCEED);
    }
    assertThat(count(pacer, "t").keys()).isLessThanOrEqualTo(4);
  }

  @Test
  void boundRateAcrossThreads() throws Exception {
    TestPacingRule one =
        TestPacingRule.named("one").requests(1000, 50).holding(Duration.ofMillis(20));
    TestPacingRule two =
        TestPacingRule.named("two")
            .requests(2000, 100)
            .by(LimitKey.INDEX)
            .holding(Duration.ofMillis(20));
    RequestPacer pacer = new RequestPacer(TestPacingRule.policy(100, one, two), clock::get);
    long begun = clock.get();
    AtomicLong passed = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int number = t;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                Random random = new Random(number);
                for (int i = 0; i < 3000; i++) {
                  clock.addAndGet(random.nextInt(100_000));
                  String uri = random.nextBoolean() ? "/a,b/_search" : "/b,a/_search";
                  PacedRequest request = pacer.start(get(uri), "t", Deadline.NONE);
                  if (request != null) {
                    PacingDecision pace = request.decide();
                    if (!(pace instanceof PacingDecision.Rejected)) {
                      passed.incrementAndGet();
                    }
                    if (!(pace instanceof PacingDecision.Delay)) {
                      request.end(0);
                    }
                  }
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double seconds = (clock.get() - begun) / 1e9 + 0.02;
    assertThat((double) passed.get()).isLessThanOrEqualTo(1000 * seconds + 50 + 1e-6);
    assertThat((double) passed.get()).isGreaterThan(1000 * seconds / 2);
    RequestPacer.RuleStats count = count(pacer, "one");
    assertThat(count.passed() + count.delayed()).isEqualTo(passed.get());
  }
}
