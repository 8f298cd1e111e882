package dev.weir.admission.pace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.PacingPolicy;
import dev.weir.config.policy.PacingPolicy.Action;
import dev.weir.config.policy.PacingPolicy.By;
import dev.weir.config.policy.PacingPolicy.Rule;
import dev.weir.model.Deadline;
import dev.weir.model.RequestHead;
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

final class PacerTest {
  private static final long SECOND = 1_000_000_000L;

  private final AtomicLong clock = new AtomicLong(-7 * SECOND);

  /** A rule of one request a second, changed as a test needs. */
  private record Made(Rule rule) {
    static Made named(String name) {
      return new Made(
          new Rule(
              name,
              List.of(),
              List.of(),
              List.of(),
              List.of(),
              By.ALL,
              1,
              1,
              new ByteSize(0),
              new ByteSize(0),
              false,
              Duration.ZERO,
              false));
    }

    Made matching(List<String> tenants, List<String> indices, Action... actions) {
      return new Made(
          new Rule(
              rule.name(),
              tenants,
              indices,
              List.of(actions),
              rule.methods(),
              rule.by(),
              rule.requestsPerSecond(),
              rule.requestsBurst(),
              rule.bytesPerSecond(),
              rule.bytesBurst(),
              rule.countAnswers(),
              rule.maxDelay(),
              rule.dryRun()));
    }

    Made by(By by) {
      return at(by, rule.requestsPerSecond(), rule.requestsBurst(), 0, 0);
    }

    Made requests(double perSecond, double burst) {
      return at(rule.by(), perSecond, burst, 0, 0);
    }

    Made bytes(long perSecond, long burst) {
      return at(rule.by(), 0, 0, perSecond, burst);
    }

    private Made at(By by, double requests, double burst, long bytes, long bytesBurst) {
      return new Made(
          new Rule(
              rule.name(),
              rule.tenants(),
              rule.indices(),
              rule.actions(),
              rule.methods(),
              by,
              requests,
              burst,
              new ByteSize(bytes),
              new ByteSize(bytesBurst),
              rule.countAnswers(),
              rule.maxDelay(),
              rule.dryRun()));
    }

    Made holding(Duration maxDelay) {
      return with(maxDelay, rule.countAnswers(), rule.dryRun());
    }

    Made dry() {
      return with(rule.maxDelay(), rule.countAnswers(), true);
    }

    Made countingAnswers() {
      return with(rule.maxDelay(), true, rule.dryRun());
    }

    private Made with(Duration maxDelay, boolean answers, boolean dryRun) {
      return new Made(
          new Rule(
              rule.name(),
              rule.tenants(),
              rule.indices(),
              rule.actions(),
              List.of(),
              rule.by(),
              rule.requestsPerSecond(),
              rule.requestsBurst(),
              rule.bytesPerSecond(),
              rule.bytesBurst(),
              answers,
              maxDelay,
              dryRun));
    }
  }

  private static Head get(String uri) {
    return from("10.0.0.1", uri);
  }

  private static Head from(String address, String uri) {
    return new Head("GET", uri, new InetSocketAddress(address, 4000), 0);
  }

  private static Head post(String uri, long bytes) {
    return new Head("POST", uri, new InetSocketAddress("10.0.0.1", 4000), bytes);
  }

  private static PacingPolicy policy(int keys, Made... rules) {
    List<Rule> all = new ArrayList<>();
    for (Made made : rules) {
      all.add(made.rule());
    }
    return new PacingPolicy(keys, all);
  }

  private Pacer pacer(Made... rules) {
    return new Pacer(policy(100, rules), clock::get);
  }

  private static Turn turn(Pacer pacer, RequestHead head, String tenant) {
    Turn turn = pacer.turn(head, tenant, Deadline.NONE);
    return Objects.requireNonNull(turn, "got no turn (expected: a rule that matches)");
  }

  /** What becomes of a request that is over at once. */
  private static Pace once(Pacer pacer, RequestHead head, String tenant) {
    Turn turn = pacer.turn(head, tenant, Deadline.NONE);
    if (turn == null) {
      return Pace.GO;
    }
    Pace pace = turn.ask();
    if (!(pace instanceof Pace.Hold)) {
      turn.end(0);
    }
    return pace;
  }

  private static Pacer.Count count(Pacer pacer, String rule) {
    return pacer.counts().stream().filter(c -> c.rule().equals(rule)).findFirst().orElseThrow();
  }

  @Test
  void withoutARuleNobodyHasToAsk() {
    Pacer pacer = pacer();
    assertThat(pacer.idle()).isTrue();
    assertThat(pacer.turn(get("/"), "a", Deadline.NONE)).isNull();
  }

  @Test
  void holdsBackFirstAndRefusesWhenThatTakesTooLongAndSaysWhatWasMeasured() {
    Pacer pacer = pacer(Made.named("slow").requests(2, 1).holding(Duration.ofSeconds(1)));
    assertThat(once(pacer, get("/"), "a")).isEqualTo(Pace.GO);
    Turn second = turn(pacer, get("/"), "a");
    assertThat(second.ask()).isEqualTo(new Pace.Hold(SECOND / 2));
    assertThat(turn(pacer, get("/"), "a").ask()).isEqualTo(new Pace.Hold(SECOND));
    Pace.Refused refused = (Pace.Refused) once(pacer, get("/"), "a");
    assertThat(refused)
        .isEqualTo(
            new Pace.Refused(
                "slow",
                "",
                new Pace.Rate("requests", 2, 1),
                3 * SECOND / 2,
                SECOND,
                Deadline.NONE));
    assertThat(refused.retryAfterSeconds()).isEqualTo(2);
    assertThat(refused.message())
        .isEqualTo(
            "rejected by the gateway: rate_limit [slow], got a request that would have had to wait"
                + " 1500 ms (expected: at most 1000 ms, at 2 requests a second with a burst of 1)");
    assertThat(refused.details())
        .containsEntry("rule", "slow")
        .containsEntry("per_second", 2L)
        .containsEntry("delay_millis", 1500L);
    assertThat(pacer.waiting()).isEqualTo(2);

    clock.addAndGet(SECOND / 4);
    assertThat(second.ask()).isEqualTo(new Pace.Hold(SECOND / 4));
    clock.addAndGet(SECOND / 4);
    assertThat(second.ask()).isEqualTo(Pace.GO);
    assertThat(second.ask()).isEqualTo(Pace.GO);
    assertThat(pacer.waiting()).isEqualTo(1);
    Pacer.Count count = count(pacer, "slow");
    assertThat(count.passed()).isEqualTo(1);
    assertThat(count.delayed()).isEqualTo(2);
    assertThat(count.delayNanos()).isEqualTo(3 * SECOND / 2);
    assertThat(count.refused()).isEqualTo(1);
  }

  @Test
  void whoLeavesWhileHeldBackGivesItsPlaceToTheNext() {
    Pacer pacer = pacer(Made.named("r").holding(Duration.ofSeconds(1)));
    once(pacer, get("/"), "a");
    Turn leaves = turn(pacer, get("/"), "a");
    assertThat(leaves.ask()).isInstanceOf(Pace.Hold.class);
    leaves.end(0);
    leaves.end(0);
    assertThat(pacer.waiting()).isZero();
    assertThat(turn(pacer, get("/"), "a").ask()).isEqualTo(new Pace.Hold(SECOND));
  }

  @Test
  void allRulesMustLetItPassAndWhereOneDoesNotNothingIsTaken() {
    Pacer pacer =
        pacer(
            Made.named("tight"),
            Made.named("wide").requests(1, 3),
            Made.named("tenant").requests(1, 2).by(By.TENANT));
    assertThat(once(pacer, get("/"), "a")).isEqualTo(Pace.GO);
    for (int i = 0; i < 10; i++) {
      assertThat(once(pacer, get("/"), "a")).isInstanceOf(Pace.Refused.class);
    }
    assertThat(count(pacer, "tight").refused()).isEqualTo(10);
    pacer.use(
        policy(
            100,
            Made.named("wide").requests(1, 3),
            Made.named("tenant").requests(1, 2).by(By.TENANT)));
    assertThat(once(pacer, get("/"), "a")).isEqualTo(Pace.GO);
    assertThat(((Pace.Refused) once(pacer, get("/"), "a")).rule()).isEqualTo("tenant");
    assertThat(once(pacer, get("/"), "b")).isEqualTo(Pace.GO);
    assertThat(((Pace.Refused) once(pacer, get("/"), "c")).rule()).isEqualTo("wide");
  }

  @Test
  void matchesByTenantIndexActionAndMethod() {
    Pacer pacer =
        pacer(
            Made.named("r").matching(List.of("g*"), List.of("logs-*"), Action.SEARCH, Action.BULK));
    List<RequestHead> others =
        List.of(get("/logs-1/_doc/1"), get("/shop/_search"), get("/_cat/indices"), get("/"));
    for (RequestHead other : others) {
      assertThat(pacer.turn(other, "gold", Deadline.NONE)).as(other.uri()).isNull();
    }
    assertThat(pacer.turn(get("/logs-1/_search"), "silver", Deadline.NONE)).isNull();
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
      assertThat(pacer.turn(one, "gold", Deadline.NONE)).as(one.uri()).isNotNull();
    }
  }

  @Test
  void eachKeyHasAnAllowanceOfItsOwn() {
    Pacer byIndex = pacer(Made.named("r").by(By.INDEX));
    assertThat(once(byIndex, get("/a/_search"), "t")).isEqualTo(Pace.GO);
    assertThat(once(byIndex, get("/b/_search"), "t")).isEqualTo(Pace.GO);
    Pace.Refused refused = (Pace.Refused) once(byIndex, get("/c,b/_search"), "t");
    assertThat(refused.key()).isEqualTo("b");
    assertThat(refused.message()).contains("rate_limit [r] of [b], got");
    assertThat(once(byIndex, get("/c/_search"), "t")).isEqualTo(Pace.GO);
    assertThat(once(byIndex, get("/1,2,3,4,5,6,7,8,9/_search"), "t")).isEqualTo(Pace.GO);
    assertThat(once(byIndex, get("/9,8,7,6,5,4,3,2,0/_search"), "t"))
        .isInstanceOf(Pace.Refused.class);

    Pacer byAddress = pacer(Made.named("r").by(By.CLIENT_ADDRESS));
    assertThat(once(byAddress, from("2001:db8::1", "/"), "t")).isEqualTo(Pace.GO);
    assertThat(once(byAddress, from("2001:db8::2", "/"), "t")).isInstanceOf(Pace.Refused.class);
    assertThat(once(byAddress, from("10.0.0.2", "/"), "t")).isEqualTo(Pace.GO);
  }

  @Test
  void paysForBytesAsAnnouncedOrAsTheyCome() {
    Pacer pacer = pacer(Made.named("r").bytes(100, 1000));
    assertThat(once(pacer, post("/_bulk", 1000), "t")).isEqualTo(Pace.GO);
    assertThat(once(pacer, get("/"), "t")).as("one without a body").isEqualTo(Pace.GO);
    Pace.Refused refused = (Pace.Refused) once(pacer, post("/_bulk", 100), "t");
    assertThat(refused.rate()).isEqualTo(new Pace.Rate("bytes", 100, 1000));
    assertThat(refused.delayNanos()).isEqualTo(SECOND);
    clock.addAndGet(SECOND);
    Turn chunked = turn(pacer, post("/_bulk", -1), "t");
    assertThat(chunked.ask()).isEqualTo(Pace.GO);
    chunked.received(300);
    chunked.end(99);
    chunked.received(300);
    assertThat(((Pace.Refused) once(pacer, post("/_bulk", -1), "t")).delayNanos())
        .isEqualTo(2 * SECOND);
    Turn announced = turn(pacer, get("/"), "t");
    announced.ask();
    announced.received(300);
    assertThat(((Pace.Refused) once(pacer, post("/_bulk", 1), "t")).delayNanos())
        .isEqualTo(201 * SECOND / 100);
  }

  @Test
  void answersCountWhereTheRuleSaysSo() {
    Pacer pacer = pacer(Made.named("r").bytes(100, 1000).countingAnswers());
    Turn first = turn(pacer, get("/_search"), "t");
    assertThat(first.ask()).isEqualTo(Pace.GO);
    first.end(1500);
    assertThat(((Pace.Refused) once(pacer, get("/_search"), "t")).delayNanos())
        .isEqualTo(5 * SECOND);
  }

  @Test
  void aDryRunChangesNothingAndCountsWhatItWouldHaveDone() {
    Made wide = Made.named("wide").requests(1, 5);
    Pacer pacer = pacer(Made.named("dry").holding(Duration.ofSeconds(1)).dry(), wide);
    for (int i = 0; i < 5; i++) {
      assertThat(once(pacer, get("/"), "t")).isEqualTo(Pace.GO);
    }
    assertThat(once(pacer, get("/"), "t")).isInstanceOf(Pace.Refused.class);
    Pacer.Count dry = count(pacer, "dry");
    assertThat(dry.dryRun()).isTrue();
    assertThat(List.of(dry.passed(), dry.delayed(), dry.refused())).containsOnly(0L);
    assertThat(List.of(dry.dryPassed(), dry.dryDelayed(), dry.dryRefused()))
        .containsExactly(1L, 1L, 4L);
    assertThat(pacer.waiting()).isZero();
  }

  @Test
  void aDryRunKeepsNothingOfWhatAnotherRuleRefuses() {
    Pacer pacer = pacer(Made.named("dry").requests(1, 5).dry(), Made.named("r"));
    assertThat(once(pacer, get("/"), "t")).isEqualTo(Pace.GO);
    for (int i = 0; i < 9; i++) {
      assertThat(once(pacer, get("/"), "t")).isInstanceOf(Pace.Refused.class);
    }
    assertThat(count(pacer, "dry").dryPassed()).isEqualTo(10);
  }

  @Test
  void aReloadKeepsWhatARuleCountedWhereItStillCountsAlike() {
    Made rule = Made.named("r").by(By.TENANT);
    Pacer pacer = pacer(rule);
    assertThat(once(pacer, get("/"), "a")).isEqualTo(Pace.GO);
    pacer.use(policy(50, Made.named("other").requests(1, 100), rule.holding(Duration.ofMillis(1))));
    assertThat(once(pacer, get("/"), "a")).isInstanceOf(Pace.Refused.class);
    assertThat(count(pacer, "r").passed()).isEqualTo(1);
    pacer.use(policy(50, rule.requests(2, 1)));
    assertThat(once(pacer, get("/"), "a")).as("another rate begins anew").isEqualTo(Pace.GO);
    assertThat(count(pacer, "r").passed()).isEqualTo(2);
  }

  @Test
  void whoIsOnItsWayWhenTheRulesChangeKeepsTheOldOnes() {
    Pacer pacer = pacer(Made.named("r").holding(Duration.ofSeconds(9)));
    once(pacer, get("/"), "t");
    Turn held = turn(pacer, get("/"), "t");
    assertThat(held.ask()).isInstanceOf(Pace.Hold.class);
    pacer.use(PacingPolicy.none());
    assertThat(pacer.idle()).isTrue();
    clock.addAndGet(SECOND);
    assertThat(held.ask()).isEqualTo(Pace.GO);
    held.end(0);
    assertThat(pacer.waiting()).isZero();
  }

  @Test
  void nobodyGetsANewAllowanceByTakingManyNames() {
    Pacer pacer = new Pacer(policy(3, Made.named("r").by(By.TENANT)), clock::get);
    for (String tenant : List.of("a", "b", "c")) {
      assertThat(once(pacer, get("/"), tenant)).isEqualTo(Pace.GO);
    }
    assertThat(once(pacer, get("/"), "d")).as("the first that shares").isEqualTo(Pace.GO);
    for (int i = 0; i < 50; i++) {
      Pace.Refused refused = (Pace.Refused) once(pacer, get("/"), "x" + i);
      assertThat(refused.key()).isEqualTo("_others");
    }
    assertThat(once(pacer, get("/"), "a")).isInstanceOf(Pace.Refused.class);
    assertThat(count(pacer, "r").keys()).isEqualTo(3);
    assertThat(count(pacer, "r").shared()).isEqualTo(51);
    clock.addAndGet(SECOND);
    assertThat(once(pacer, get("/"), "e")).as("instead of one that is full").isEqualTo(Pace.GO);
    assertThat(count(pacer, "r").keys()).isEqualTo(3);
    assertThat(((Pace.Refused) once(pacer, get("/"), "e")).key()).isEqualTo("e");
  }

  @Test
  void anAccountInUseIsNotForgotten() {
    Pacer pacer = new Pacer(policy(1, Made.named("r").by(By.TENANT)), clock::get);
    Turn running = turn(pacer, post("/", -1), "a");
    assertThat(running.ask()).isEqualTo(Pace.GO);
    clock.addAndGet(10 * SECOND);
    assertThat(once(pacer, get("/"), "b")).isEqualTo(Pace.GO);
    assertThat(count(pacer, "r").shared()).isEqualTo(1);
    running.end(0);
    assertThat(once(pacer, get("/"), "b")).isEqualTo(Pace.GO);
    assertThat(count(pacer, "r").shared()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void atRestNothingWaitsAndNothingIsInUseWhateverHappened(long seed) {
    Random random = new Random(seed);
    Made tenant = Made.named("t").requests(50, 5).by(By.TENANT).holding(Duration.ofMillis(100));
    Made index = Made.named("i").bytes(5000, 2000).by(By.INDEX).holding(Duration.ofMillis(300));
    Made dry = Made.named("d").requests(3, 1).by(By.INDEX).dry();
    Pacer pacer = new Pacer(policy(4, tenant, index, dry), clock::get);
    List<Turn> open = new ArrayList<>();
    long passed = 0;
    for (int i = 0; i < 5000; i++) {
      clock.addAndGet((long) (random.nextDouble() * SECOND / 50));
      if (random.nextInt(100) == 0) {
        pacer.use(random.nextBoolean() ? policy(4, tenant, index, dry) : policy(3, index, tenant));
      }
      String uri = "/" + (char) ('a' + random.nextInt(6)) + ",b/_search";
      Turn turn = turn(pacer, post(uri, random.nextInt(400) - 1), "t" + random.nextInt(8));
      open.add(turn);
      Pace pace = turn.ask();
      if (pace instanceof Pace.Hold(long nanos)) {
        assertThat(nanos).isPositive().isLessThanOrEqualTo(300_000_000L);
      } else if (pace instanceof Pace.Go) {
        passed++;
        turn.received(random.nextInt(500));
      }
      if (random.nextInt(3) > 0) {
        open.remove(random.nextInt(open.size())).end(random.nextInt(1000));
      }
    }
    open.forEach(turn -> turn.end(1));
    assertThat(passed).isPositive();
    assertThat(pacer.waiting()).isZero();
    for (int i = 0; i < 20; i++) {
      clock.addAndGet(7200 * SECOND);
      assertThat(once(pacer, post("/z" + i + "/_search", 9), "z" + i)).isEqualTo(Pace.GO);
    }
    assertThat(count(pacer, "t").keys()).isLessThanOrEqualTo(4);
  }

  @Test
  void manyThreadsTogetherGetNoMoreThanThereIs() throws Exception {
    Made one = Made.named("one").requests(1000, 50).holding(Duration.ofMillis(20));
    Made two = Made.named("two").requests(2000, 100).by(By.INDEX).holding(Duration.ofMillis(20));
    Pacer pacer = new Pacer(policy(100, one, two), clock::get);
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
                  Turn turn = pacer.turn(get(uri), "t", Deadline.NONE);
                  if (turn != null) {
                    Pace pace = turn.ask();
                    if (!(pace instanceof Pace.Refused)) {
                      passed.incrementAndGet();
                    }
                    if (!(pace instanceof Pace.Hold)) {
                      turn.end(0);
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
    Pacer.Count count = count(pacer, "one");
    assertThat(count.passed() + count.delayed()).isEqualTo(passed.get());
  }
}
