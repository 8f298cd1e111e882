package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.config.policy.RoutingPolicy;
import dev.weir.core.coordinate.attempt.AttemptCounts;
import dev.weir.core.coordinate.attempt.BudgetedAttemptPolicies;
import dev.weir.core.coordinate.load.NodeLoadReports;
import dev.weir.core.coordinate.slot.TenantAccounting;
import dev.weir.core.coordinate.write.ScriptedWrite;
import dev.weir.core.coordinate.write.WriteCoordinator;
import dev.weir.core.coordinate.write.WriteStep;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.model.Phase;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.PolicyAwareSelector;
import dev.weir.testkit.fixtures.TestPolicies;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Thousands of requests in virtual time while one node of three pauses repeatedly. */
class HedgeBudgetTest {
  private static final int SEARCHES = 6000;
  private static final int SHARDS = 2;
  private static final long EVERY_NANOS = 2_000_000;
  private static final double SHARE = 0.03;
  private static final int BURST = 100;

  private final Random random = new Random(5);
  private final VirtualNodes nodes = new VirtualNodes(random, "n1", "n2", "n3");
  private final RoutingPolicy policy = policy();
  private final NodeLoadTracker loads = new NodeLoadTracker(policy, nodes::now, random);
  private final PolicyAwareSelector selector =
      new PolicyAwareSelector(loads, policy, nodes::now, random);
  private final List<ScriptedSearch> searches = new ArrayList<>();
  private boolean overloaded;

  private static RoutingPolicy policy() {
    return TestPolicies.parse("clusters: {main: {seeds: [\"h:9300\"]}}\n").routing();
  }

  private BudgetedAttemptPolicies tail(BooleanSupplier busy) {
    return new BudgetedAttemptPolicies(loads, new PolicyCompiler<>(policy), nodes::now, busy);
  }

  private List<PlannedShard> shards() {
    List<PlannedShard> shards = new ArrayList<>();
    for (int shard = 0; shard < SHARDS; shard++) {
      List<ShardCopy> copies =
          Stream.of("n1", "n2", "n3")
              .map(node -> new ShardCopy(node, "", false, false, Map.of()))
              .toList();
      List<String> ordered =
          selector.order(copies, Phase.QUERY).stream().map(ShardCopy::nodeId).toList();
      shards.add(new PlannedShard(shard, ordered, false));
    }
    return shards;
  }

  private void search(CoordinationServices environment) {
    ScriptedSearch search = new ScriptedSearch();
    search.repeatable = true;
    search.queueSize = 0;
    search.serviceTimeNanos = TimeUnit.MILLISECONDS.toNanos(5) + random.nextInt(1000);
    search.fetchedFrom = Set.of(0);
    search.plan = view -> ScriptedSearch.plan(shards());
    searches.add(search);
    SearchCoordinator.start(
        environment, search, new RequestContext(Runnable::run, searches.size(), Map.of()));
  }

  private void write(CoordinationServices environment) {
    List<WriteStep> steps = new ArrayList<>();
    ScriptedWrite work = new ScriptedWrite((view, certainty) -> steps.removeFirst());
    steps.add(ScriptedWrite.send(work.part("write")));
    steps.add(ScriptedWrite.send());
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    new WriteCoordinator(environment, context, work).start();
  }

  private CoordinationServices environment(BudgetedAttemptPolicies tail) {
    return CoordinationServices.create(
        new TrackedSender(
            nodes,
            loads,
            NodeLanesFixture.any(),
            TenantAccounting.NONE,
            new NodeLoadReports(NodeCapabilities.NONE, nodes::now),
            NodeCapabilities.NONE),
        new ScriptedViews(),
        new CoordinationTimers(nodes, nodes::now),
        CopyAttempts.inPlanOrder(tail),
        NodeCapacity.unbounded());
  }

  /** The length of each pause of the faulty node. */
  private BudgetedAttemptPolicies run(long stopNanos, long everyNanos) {
    BudgetedAttemptPolicies tail = tail(() -> overloaded);
    CoordinationServices environment = environment(tail);
    for (int i = 0; i < SEARCHES; i++) {
      nodes.at(i * EVERY_NANOS, () -> search(environment));
      if (i % 10 == 0) {
        nodes.at(i * EVERY_NANOS, () -> write(environment));
      }
    }
    long end = SEARCHES * EVERY_NANOS;
    for (long at = TimeUnit.SECONDS.toNanos(1); at < end; at += everyNanos) {
      nodes.at(at, () -> nodes.stop("n1", stopNanos));
    }
    nodes.run();
    return tail;
  }

  private long queries() {
    return nodes.sent.stream().filter(one -> one.matches("n\\d query \\d")).count();
  }

  private static long hedges(BudgetedAttemptPolicies tail) {
    return tail.counts().hedgesByOutcome().stream().mapToLong(AttemptCounts.Count::count).sum();
  }

  private static long won(BudgetedAttemptPolicies tail) {
    return tail.counts().hedgesByOutcome().stream()
        .filter(count -> count.reason().equals("won"))
        .mapToLong(AttemptCounts.Count::count)
        .sum();
  }

  private static long restarts(BudgetedAttemptPolicies tail) {
    return tail.counts().restartsByReason().stream().mapToLong(AttemptCounts.Count::count).sum();
  }

  @Test
  void secondRequestsKeepToTheirShareAndLosersAreCancelled() {
    BudgetedAttemptPolicies tail =
        run(TimeUnit.MILLISECONDS.toNanos(40), TimeUnit.MILLISECONDS.toNanos(50));
    check(tail);
    assertThat(hedges(tail)).isPositive();
  }

  @Test
  void hideEveryPause() {
    BudgetedAttemptPolicies tail = run(TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(3));
    check(tail);
    assertThat(hedges(tail)).isPositive();
  }

  /** Far more than tokens pay for: some in the query phase, some between it and the fetch. */
  @Test
  void noSearchWaitsForTheEndOfALongStop() {
    BudgetedAttemptPolicies tail = tail(() -> false);
    CoordinationServices environment = environment(tail);
    for (int i = 0; i < SEARCHES; i++) {
      nodes.at(i * EVERY_NANOS, () -> search(environment));
    }
    long stop = TimeUnit.SECONDS.toNanos(1);
    List<ScriptedSearch> caught = new ArrayList<>();
    nodes.at(
        stop - TimeUnit.MILLISECONDS.toNanos(9),
        () -> {
          for (int i = 0; i < 600; i++) {
            search(environment);
          }
        });
    nodes.at(
        stop,
        () -> {
          nodes.stop("n1", TimeUnit.SECONDS.toNanos(20));
          searches.stream().filter(search -> !isAnswered(search)).forEach(caught::add);
        });
    List<ScriptedSearch> waiting = new ArrayList<>();
    nodes.at(
        stop + TimeUnit.SECONDS.toNanos(2),
        () -> caught.stream().filter(search -> !isAnswered(search)).forEach(waiting::add));
    nodes.run();
    assertThat(caught).hasSizeGreaterThan(300);
    assertThat(waiting).as("long before the node responds").isEmpty();
    assertThat(SHARDS * restarts(tail)).as("more than the tokens pay for").isGreaterThan(BURST);
    assertThat(searches).allSatisfy(search -> assertThat(isAnswered(search)).isTrue());
    assertThat(tail.unpaidRestarts(RequestPolicy.NONE)).isZero();
    assertThat(loads.outstanding()).isZero();
  }

  private static boolean isAnswered(ScriptedSearch search) {
    return search.log.contains("answer 2/2/0");
  }

  private void check(BudgetedAttemptPolicies tail) {
    long first = (long) SEARCHES * SHARDS;
    long again = SHARDS * restarts(tail);
    long extra = queries() - first - again;
    assertThat(extra).isEqualTo(hedges(tail));
    // those that won while the node still stood still gave their token back
    assertThat(extra + again - won(tail)).isLessThanOrEqualTo((long) (SHARE * first) + BURST);
    assertThat(searches)
        .allSatisfy(search -> assertThat(search.log).containsOnlyOnce("answer 2/2/0"));
    // each hedged request has one loser, whose task is cancelled and whose context is freed
    long cancelled = nodes.sent.stream().filter(one -> one.contains(" ban query ")).count();
    long freed = nodes.sent.stream().filter(one -> one.contains(" of n")).count();
    assertThat(cancelled).isEqualTo(extra);
    assertThat(freed).isEqualTo(extra);
    // writes are sent once, and stateful calls once an attempt
    assertThat(nodes.count("fetch 0")).isEqualTo(SEARCHES + restarts(tail));
    assertThat(nodes.count("write")).isEqualTo(SEARCHES / 10);
    assertThat(loads.outstanding()).isZero();
  }

  @Test
  void hedgeOnlyForStallsUnderOverload() {
    overloaded = true;
    BudgetedAttemptPolicies tail = run(0, TimeUnit.SECONDS.toNanos(1));
    assertThat(hedges(tail)).isZero();
    assertThat(queries()).isEqualTo((long) SEARCHES * SHARDS);
  }
}
