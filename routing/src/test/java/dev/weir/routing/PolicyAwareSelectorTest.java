package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.weir.config.policy.NodeAttribute;
import dev.weir.config.policy.RoutingPolicy.Algorithm;
import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Properties that hold for every policy. */
final class PolicyAwareSelectorTest {
  private static SelectorFixture bench(Algorithm choice) {
    return new SelectorFixture(RoutingPolicies.of(choice, 0));
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void returnTheSameCopiesWithInitializingOnesLast(Algorithm choice) {
    SelectorFixture bench = bench(choice);
    bench.warm("b", 2);
    ShardCopy starting = new ShardCopy("new", "x", false, true, Map.of());
    List<ShardCopy> copies =
        List.of(
            SelectorFixture.copy("a"),
            starting,
            SelectorFixture.copy("b"),
            SelectorFixture.copy("c"),
            SelectorFixture.copy("d"));
    for (int i = 0; i < 20; i++) {
      List<ShardCopy> ordered = bench.selector.order(copies, Phase.QUERY);
      assertThat(ordered).containsExactlyInAnyOrderElementsOf(copies).endsWith(starting);
      bench.answer(ordered.getFirst().nodeId(), 1, i, 1 + i * 1e-6);
    }
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void explainEveryCopyWithFiniteNumbers(Algorithm choice) {
    SelectorFixture bench = bench(choice);
    bench.warm("a", 2);
    bench.send("b").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    RankingExplanation why =
        bench.selector.explain(SelectorFixture.copies("a", "b", "c"), Phase.QUERY);
    assertThat(why.candidates())
        .extracting(RankingExplanation.Candidate::position)
        .containsExactly(1, 2, 3);
    assertThat(why.candidates())
        .allSatisfy(candidate -> {
          assertThat(candidate.score()).isFinite();
          assertThat(candidate.reason()).isNotBlank();
          assertThat(candidate.terms())
              .allSatisfy(term -> assertThat(term.value()).as(term.name()).isFinite());
        });
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void rankByTheExplainedScores(Algorithm choice) {
    SelectorFixture bench = bench(choice);
    bench.warm("a", 2);
    bench.send("a");
    bench.send("b").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    List<ShardCopy> copies = SelectorFixture.copies("a", "b", "c");
    RankingExplanation why = bench.selector.explain(copies, Phase.QUERY);
    for (RankingExplanation.Candidate candidate : why.candidates()) {
      ScoredCopy weighed = bench.selector.scoreCopy(candidate.copy(), NodeCallType.HITS);
      assertThat(weighed.nodeId()).isEqualTo(candidate.copy().nodeId());
      assertThat(weighed.copyRank()).isEqualTo(candidate.copyRank());
      assertThat(weighed.score()).isEqualTo(candidate.score());
      assertThat(weighed.formula().policy()).isEqualTo(why.policy());
      assertThat(weighed.formula().termSpecs()).hasSameSizeAs(candidate.terms());
      for (int n = 0; n < candidate.terms().size(); n++) {
        assertThat(weighed.termValue(n))
            .as(candidate.terms().get(n).name())
            .isCloseTo(candidate.terms().get(n).value(), withinPercentage(1e-4));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Algorithm.class,
      names = {"ADAPTIVE", "C3"})
  void chooseAsExplained(Algorithm choice) {
    SelectorFixture bench = bench(choice);
    bench.warm("slow", 30);
    bench.warm("fast", 2);
    bench.warm("middle", 9);
    List<ShardCopy> copies = SelectorFixture.copies("slow", "fast", "middle");
    assertThat(bench.selector.explain(copies, Phase.QUERY).candidates())
        .extracting(RankingExplanation.Candidate::copy)
        .containsExactlyElementsOf(bench.selector.order(copies, Phase.QUERY));
    assertThat(bench.order("slow", "fast", "middle")).containsExactly("fast", "middle", "slow");
  }

  @Test
  void keepStatisticsAcrossAPolicySwitch() {
    SelectorFixture bench = bench(Algorithm.ROUND_ROBIN);
    bench.warm("slow", 20);
    bench.warm("fast", 2);
    assertThat(bench.first("slow", "fast")).isNotEqualTo(bench.first("slow", "fast"));
    for (Algorithm choice : List.of(Algorithm.ADAPTIVE, Algorithm.C3)) {
      bench.use(RoutingPolicies.of(choice, 0));
      assertThat(bench.order("slow", "fast")).containsExactly("fast", "slow");
      assertThat(bench.selector.policy().algorithm()).isEqualTo(choice);
    }
  }

  @Test
  void leastOutstandingLooksAtNothingElse() {
    SelectorFixture bench = bench(Algorithm.LEAST_OUTSTANDING);
    bench.warm("slow", 20);
    bench.warm("fast", 2);
    bench.send("fast");
    assertThat(bench.order("slow", "fast")).containsExactly("slow", "fast");
  }

  @Test
  void nearNodesArePreferredUntilTheyAreLoaded() {
    List<NodeAttribute> own = List.of(new NodeAttribute("zone", "a"));
    SelectorFixture bench =
        new SelectorFixture(RoutingPolicies.of(Algorithm.ADAPTIVE, 0, own, 1.5));
    bench.warm("near", 2.2);
    bench.warm("far", 2);
    List<ShardCopy> copies =
        List.of(
            new ShardCopy("far", "f", false, false, Map.of("zone", "b")),
            new ShardCopy("near", "n", false, false, Map.of("zone", "a")));
    int toNear = 0;
    while (toNear < 100
        && bench.selector.order(copies, Phase.QUERY).getFirst().nodeId().equals("near")) {
      bench.send("near");
      toNear++;
    }
    assertThat(toNear).isBetween(3, 30);
  }
}
