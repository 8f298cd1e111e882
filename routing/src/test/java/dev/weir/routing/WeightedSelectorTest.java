package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.config.policy.RoutingPolicy.Algorithm;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.weight.NodeWeight;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Weights hold for every policy. */
final class WeightedSelectorTest {
  private static SelectorFixture drained(Algorithm algorithm, String... nodes) {
    SelectorFixture bench = new SelectorFixture(RoutingPolicies.of(algorithm, 0));
    bench.warm("a", 1);
    bench.warm("b", 5);
    bench.warm("c", 5);
    Map<String, NodeWeight> weights = new HashMap<>();
    for (String node : nodes) {
      weights.put(node, NodeWeight.of(0));
    }
    bench.tracker.weights().replace(weights);
    return bench;
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void aDrainedNodeIsTriedLast(Algorithm algorithm) {
    SelectorFixture bench = drained(algorithm, "a");
    ShardCopy starting = new ShardCopy("new", "x", false, true, Map.of());
    List<ShardCopy> copies =
        List.of(
            SelectorFixture.copy("a"),
            starting,
            SelectorFixture.copy("b"),
            SelectorFixture.copy("c"));
    for (int i = 0; i < 200; i++) {
      bench.pass(100); // long enough for tests of idle nodes
      assertThat(bench.selector.order(copies, Phase.QUERY))
          .containsExactlyInAnyOrderElementsOf(copies)
          .endsWith(SelectorFixture.copy("a"), starting);
      assertThat(bench.selector.orderFallbacks(copies, Phase.QUERY, 0))
          .endsWith(SelectorFixture.copy("a"), starting);
      assertThat(
              bench.selector.selectForSend(SelectorFixture.copies("a", "b"), Phase.QUERY, 0, true))
          .isEqualTo(SelectorFixture.copy("b"));
      assertThat(bench.selector.choosePreferred(SelectorFixture.copies("a", "b"), Phase.QUERY, 0))
          .isEqualTo(1);
    }
    assertThat(bench.selector.mayWaitFor(SelectorFixture.copy("a"), Phase.QUERY)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void theOnlyCopyIsUsedAllTheSame(Algorithm algorithm) {
    SelectorFixture bench = drained(algorithm, "a", "b");
    assertThat(bench.order("a")).containsExactly("a");
    assertThat(bench.order("a", "b")).containsExactlyInAnyOrder("a", "b");
    assertThat(bench.selector.choosePreferred(SelectorFixture.copies("a"), Phase.QUERY, 0))
        .isZero();
    assertThat(bench.selector.selectForSend(SelectorFixture.copies("a", "b"), Phase.QUERY, 0, true))
        .isIn(SelectorFixture.copies("a", "b"));
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void theExplanationNamesTheReason(Algorithm algorithm) {
    SelectorFixture bench = drained(algorithm, "a");
    RankingExplanation why =
        bench.selector.explain(SelectorFixture.copies("a", "b", "c"), Phase.QUERY);
    RankingExplanation.Candidate last = why.candidates().getLast();
    assertThat(last.copy().nodeId()).isEqualTo("a");
    assertThat(last.position()).isEqualTo(3);
    assertThat(last.copyRank()).isEqualTo(CopyRank.DRAINED);
    assertThat(last.reason()).contains("drained by an operator");
    assertThat(
            bench
                .selector
                .scoreCopy(SelectorFixture.copy("a"), NodeCallType.AGGREGATIONS)
                .copyRank())
        .isEqualTo(CopyRank.DRAINED);
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void aWeightLimitsTheShareOfTheFastestNode(Algorithm algorithm) {
    SelectorFixture bench = drained(algorithm);
    bench.tracker.weights().replace(Map.of("a", NodeWeight.of(0.2)));
    int first = 0;
    for (int i = 0; i < 5000; i++) {
      first += bench.first("a", "b").equals("a") ? 1 : 0;
    }
    double usual = algorithm == Algorithm.ROUND_ROBIN ? 0.5 : 1;
    assertThat(first / 5000.0).isCloseTo(0.2 * usual, within(0.05));
    assertThat(bench.selector.explain(SelectorFixture.copies("a", "b"), Phase.QUERY).candidates())
        .anySatisfy(candidate -> assertThat(candidate.reason()).contains("weight 0.20"));
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void drainedNodesGetNoHedgesAndNoWritesByChoice(Algorithm algorithm) {
    SelectorFixture bench = drained(algorithm, "a");
    NodeCallType write = NodeCallType.forWrite(10);
    assertThat(bench.tracker.expectedNanos("a", write))
        .isGreaterThan(100 * bench.tracker.expectedNanos("b", write));
    bench.pass(60_000);
    assertThat(bench.tracker.takeTrial("a", Phase.WRITE)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void aNodeThatLostTheDrawComesBeforeADrainedOne(Algorithm algorithm) {
    SelectorFixture bench = drained(algorithm);
    bench.tracker.weights().replace(Map.of("a", NodeWeight.of(0), "b", NodeWeight.of(0.01)));
    List<ShardCopy> copies = SelectorFixture.copies("a", "b");
    for (int i = 0; i < 200; i++) {
      assertThat(bench.order("a", "b")).containsExactly("b", "a");
      assertThat(bench.selector.selectForSend(copies, Phase.QUERY, 0, true))
          .isEqualTo(SelectorFixture.copy("b"));
      assertThat(bench.selector.choosePreferred(copies, Phase.QUERY, 0)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void noCopyIsRankedAsNone(Algorithm algorithm) {
    SelectorFixture bench = drained(algorithm, "a");
    bench.selector.order(new ShardCopy[0], 0, Phase.QUERY);
    assertThat(bench.selector.order(List.of(), Phase.QUERY)).isEmpty();
    assertThat(bench.selector.orderFallbacks(List.of(), Phase.QUERY, 0)).isEmpty();
  }

  @Test
  void aDrainedNodeComesBeforeOneThatDoesNotWork() {
    SelectorFixture bench = drained(Algorithm.ADAPTIVE, "a");
    for (int i = 0; i < 20; i++) {
      bench.send("b").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    assertThat(bench.order("a", "b")).containsExactly("a", "b");
    assertThat(bench.order("a", "b", "c")).startsWith("c");
    assertThat(
            bench.selector.selectForSend(SelectorFixture.copies("b", "a"), Phase.QUERY, 0, false))
        .isEqualTo(SelectorFixture.copy("a"));
    assertPreferredAndExplained(bench, "a");
    List<String> firsts = new ArrayList<>();
    List<Integer> preferred = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      bench.pass(1000);
      firsts.add(bench.first("a", "b"));
      bench.send(firsts.getLast()).onAbandon();
      bench.pass(1000);
      int chosen = bench.selector.choosePreferred(SelectorFixture.copies("b", "a"), Phase.QUERY, 0);
      bench.send(chosen == 0 ? "b" : "a").onAbandon();
      preferred.add(chosen);
    }
    assertThat(firsts).as("probes of the node that failed").contains("b");
    assertThat(preferred).as("probes of a preferred node that failed").contains(0, 1);
  }

  @Test
  void everyProbeOfAnEjectedNodeIsSent() {
    SelectorFixture bench = drained(Algorithm.ADAPTIVE);
    bench.tracker.weights().replace(Map.of("b", NodeWeight.of(0.1)));
    for (int i = 0; i < 3; i++) {
      bench.send("b").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    int probes = 0;
    for (int i = 0; i < 600; i++) {
      bench.pass(100);
      List<ShardCopy> ordered = bench.selector.order(SelectorFixture.copies("a", "b"), Phase.QUERY);
      if (ordered.getFirst().nodeId().equals("b")) {
        probes++;
        assertThat(bench.selector.selectForSend(ordered, Phase.QUERY, 0, true))
            .isEqualTo(SelectorFixture.copy("b"));
        bench.send("b").onAbandon();
      }
    }
    assertThat(probes).isPositive();
    assertThat(bench.tracker.state("b", Phase.QUERY).failures().ejections())
        .as("one more after each probe")
        .isEqualTo(1 + probes);
  }

  @Test
  void aDrainedNodeKeepsItsProbe() {
    SelectorFixture bench = drained(Algorithm.ADAPTIVE, "b");
    for (int i = 0; i < 3; i++) {
      bench.send("b").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    for (int i = 0; i < 300; i++) {
      bench.pass(100);
      assertThat(bench.first("a", "b")).isEqualTo("a");
    }
    bench.tracker.weights().replace(Map.of());
    assertThat(bench.first("a", "b")).as("a probe, as soon as it is taken back").isEqualTo("b");
  }

  @Test
  void aTestOfANodeWithWeightComesFirst() {
    SelectorFixture bench = drained(Algorithm.ADAPTIVE, "c");
    for (int i = 0; i < 3; i++) {
      bench.send("b").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
      bench.send("c").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    bench.pass(700);
    bench.answer("a", 1, 0, 1);
    RankedCopies usual = bench.selector.rank(SelectorFixture.copies("a", "c"), Phase.QUERY, 0);
    assertThat(usual.copies()).startsWith(SelectorFixture.copy("a"));
    assertThat(usual.startsWithTrial()).isFalse();
    List<ShardCopy> copies = SelectorFixture.copies("a", "b");
    assertThat(bench.selector.rank(copies, Phase.QUERY, 0))
        .as("a and b have their full weights, c has none")
        .isEqualTo(new RankedCopies(SelectorFixture.copies("b", "a"), true));
    bench.tracker.weights().replace(Map.of("b", NodeWeight.of(0), "c", NodeWeight.of(0)));
    bench.pass(5000);
    assertThat(bench.selector.rank(SelectorFixture.copies("b", "c"), Phase.QUERY, 0))
        .as("a request goes to a drained node only if no other tier has one")
        .matches(ranked -> !ranked.startsWithTrial());
  }

  @Test
  void aDrainedNodeTakesNoExplorationFromTheOthers() {
    SelectorFixture bench = drained(Algorithm.ADAPTIVE, "c");
    bench.warm("c", 1); // before b, so that it is the stalest
    bench.warm("b", 50);
    int explored = 0;
    for (int i = 0; i < 1000; i++) {
      bench.answer("a", 20, 0, 20 + i * 1e-6);
      explored += bench.first("c", "b", "a").equals("b") ? 1 : 0;
    }
    assertThat(explored).as("2 % of the choices").isBetween(15, 25);
  }

  /** What a preference chooses, and what is explained, agrees with the order. */
  private static void assertPreferredAndExplained(SelectorFixture bench, String first) {
    for (List<ShardCopy> copies :
        List.of(SelectorFixture.copies("a", "b"), SelectorFixture.copies("b", "a"))) {
      int index = copies.indexOf(SelectorFixture.copy(first));
      assertThat(bench.selector.peekPreferred(copies, Phase.QUERY, 0)).isEqualTo(index);
      assertThat(bench.selector.explain(copies, Phase.QUERY).candidates())
          .extracting(RankingExplanation.Candidate::copy)
          .startsWith(SelectorFixture.copy(first));
      assertThat(bench.selector.drainedLast(copies, Phase.QUERY))
          .startsWith(SelectorFixture.copy(first));
    }
  }

  @Test
  void aDrainedNodeFollowsOneThatStandsStillNowAndThen() {
    SelectorFixture bench = drained(Algorithm.ADAPTIVE, "a");
    for (int stall = 0; stall < 3; stall++) {
      List<NodeLoadRecorder.OutstandingRequest> waiting = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        waiting.add(bench.send("b"));
      }
      bench.pass(60);
      int queue = 0;
      waiting.forEach(each -> each.onResponse(queue, 5_000_000));
    }
    assertThat(bench.selector.mayWaitFor(SelectorFixture.copy("b"), Phase.QUERY))
        .as("it is unsteady")
        .isFalse();
    assertThat(bench.order("a", "b")).containsExactly("b", "a");
    assertThat(
            bench.selector.selectForSend(SelectorFixture.copies("a", "b"), Phase.QUERY, 0, false))
        .isEqualTo(SelectorFixture.copy("b"));
    assertPreferredAndExplained(bench, "b");
  }

  @Test
  void aDrainedNodeComesBeforeOneThatStandsStillNow() {
    SelectorFixture bench = drained(Algorithm.ADAPTIVE, "a");
    bench.send("b");
    for (int i = 0; i < 400; i++) {
      bench.answer("c", 5, 0, 5 + i * 1e-6);
    }
    assertThat(bench.order("a", "b")).containsExactly("a", "b");
    assertThat(
            bench.selector.selectForSend(SelectorFixture.copies("b", "a"), Phase.QUERY, 0, false))
        .isEqualTo(SelectorFixture.copy("a"));
    assertPreferredAndExplained(bench, "a");
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void aNewCopyFollowsTheOthersAndPrecedesDrainedNodes(Algorithm algorithm) {
    SelectorFixture bench = drained(algorithm, "c");
    bench.tracker.weights().changeCopies(Map.of("alloc-a", NodeWeight.of(0)));
    List<ShardCopy> copies = SelectorFixture.copies("a", "b");
    for (int i = 0; i < 200; i++) {
      bench.pass(100); // long enough for tests of idle nodes
      assertThat(bench.order("a", "b", "c")).containsExactly("b", "a", "c");
      assertThat(bench.selector.selectForSend(copies, Phase.QUERY, 0, true))
          .isEqualTo(SelectorFixture.copy("b"));
      assertThat(bench.selector.choosePreferred(copies, Phase.QUERY, 0)).isEqualTo(1);
      assertThat(bench.order("a", "c")).as("used at once").containsExactly("a", "c");
    }
    assertThat(bench.selector.mayWaitFor(SelectorFixture.copy("a"), Phase.QUERY)).isTrue();
    RankingExplanation.Candidate second =
        bench
            .selector
            .explain(SelectorFixture.copies("a", "b", "c"), Phase.QUERY)
            .candidates()
            .get(1);
    assertThat(second.copy().nodeId()).isEqualTo("a");
    assertThat(second.reason()).contains("weight 0.00 of its copy, which is new");
  }
}
