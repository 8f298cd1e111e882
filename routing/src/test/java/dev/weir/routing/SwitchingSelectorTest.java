package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.weir.config.policy.Attribute;
import dev.weir.config.policy.RoutingPolicy.Choice;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for every policy. */
final class SwitchingSelectorTest {
  private static Bench bench(Choice choice) {
    return new Bench(Policies.of(choice, 0));
  }

  @ParameterizedTest
  @EnumSource(Choice.class)
  void everyPolicyReturnsTheSameCopiesWithInitializingOnesLast(Choice choice) {
    Bench bench = bench(choice);
    bench.warm("b", 2);
    ShardCopy starting = new ShardCopy("new", "x", false, true, Map.of());
    List<ShardCopy> copies =
        List.of(Bench.copy("a"), starting, Bench.copy("b"), Bench.copy("c"), Bench.copy("d"));
    for (int i = 0; i < 20; i++) {
      List<ShardCopy> ordered = bench.selector.order(copies, Phase.QUERY);
      assertThat(ordered).containsExactlyInAnyOrderElementsOf(copies).endsWith(starting);
      bench.answer(ordered.getFirst().nodeId(), 1, i, 1 + i * 1e-6);
    }
  }

  @ParameterizedTest
  @EnumSource(Choice.class)
  void everyPolicyExplainsEveryCopyWithFiniteNumbers(Choice choice) {
    Bench bench = bench(choice);
    bench.warm("a", 2);
    bench.send("b").failed(NodeLoads.Failure.UNREACHABLE);
    Explanation why = bench.selector.explain(Bench.copies("a", "b", "c"), Phase.QUERY);
    assertThat(why.candidates()).extracting(Explanation.Candidate::rank).containsExactly(1, 2, 3);
    assertThat(why.candidates())
        .allSatisfy(candidate -> {
          assertThat(candidate.score()).isFinite();
          assertThat(candidate.reason()).isNotBlank();
          assertThat(candidate.terms())
              .allSatisfy(term -> assertThat(term.value()).as(term.name()).isFinite());
        });
  }

  @ParameterizedTest
  @EnumSource(Choice.class)
  void everyPolicyWeighsByWhatItExplains(Choice choice) {
    Bench bench = bench(choice);
    bench.warm("a", 2);
    bench.send("a");
    bench.send("b").failed(NodeLoads.Failure.UNREACHABLE);
    List<ShardCopy> copies = Bench.copies("a", "b", "c");
    Explanation why = bench.selector.explain(copies, Phase.QUERY);
    for (Explanation.Candidate candidate : why.candidates()) {
      Weighed weighed = bench.selector.weigh(candidate.copy(), Work.HITS);
      assertThat(weighed.nodeId()).isEqualTo(candidate.copy().nodeId());
      assertThat(weighed.standing()).isEqualTo(candidate.standing());
      assertThat(weighed.score()).isEqualTo(candidate.score());
      assertThat(weighed.scale().policy()).isEqualTo(why.policy());
      assertThat(weighed.scale().names()).hasSameSizeAs(candidate.terms());
      for (int n = 0; n < candidate.terms().size(); n++) {
        assertThat(weighed.number(n))
            .as(candidate.terms().get(n).name())
            .isCloseTo(candidate.terms().get(n).value(), withinPercentage(1e-4));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Choice.class,
      names = {"ADAPTIVE", "C3"})
  void whatIsExplainedIsWhatIsDone(Choice choice) {
    Bench bench = bench(choice);
    bench.warm("slow", 30);
    bench.warm("fast", 2);
    bench.warm("middle", 9);
    List<ShardCopy> copies = Bench.copies("slow", "fast", "middle");
    assertThat(bench.selector.explain(copies, Phase.QUERY).candidates())
        .extracting(Explanation.Candidate::copy)
        .containsExactlyElementsOf(bench.selector.order(copies, Phase.QUERY));
    assertThat(bench.order("slow", "fast", "middle")).containsExactly("fast", "middle", "slow");
  }

  @Test
  void whatWasLearnedSurvivesASwitch() {
    Bench bench = bench(Choice.ROUND_ROBIN);
    bench.warm("slow", 20);
    bench.warm("fast", 2);
    assertThat(bench.first("slow", "fast")).isNotEqualTo(bench.first("slow", "fast"));
    for (Choice choice : List.of(Choice.ADAPTIVE, Choice.C3)) {
      bench.use(Policies.of(choice, 0));
      assertThat(bench.order("slow", "fast")).containsExactly("fast", "slow");
      assertThat(bench.selector.policy().policy()).isEqualTo(choice);
    }
  }

  @Test
  void leastOutstandingLooksAtNothingElse() {
    Bench bench = bench(Choice.LEAST_OUTSTANDING);
    bench.warm("slow", 20);
    bench.warm("fast", 2);
    bench.send("fast");
    assertThat(bench.order("slow", "fast")).containsExactly("slow", "fast");
  }

  @Test
  void nearNodesArePreferredUntilTheyAreLoaded() {
    List<Attribute> own = List.of(new Attribute("zone", "a"));
    Bench bench = new Bench(Policies.of(Choice.ADAPTIVE, 0, own, 1.5));
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

  @Test
  void stockPutsASlowLoadedNodeFirst() {
    Bench bench = bench(Choice.STOCK);
    bench.warm("slow", 20);
    bench.warm("fast", 2);
    for (int i = 0; i < 3; i++) {
      bench.send("slow");
      bench.send("fast");
    }
    assertThat(bench.selector.explain(Bench.copies("slow", "fast"), Phase.QUERY).candidates())
        .extracting(candidate -> candidate.copy().nodeId())
        .as("a node ten times slower, as much outstanding: the formula is inverted")
        .containsExactly("slow", "fast");
  }
}
