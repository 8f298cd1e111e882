package dev.weir.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.simulation.SimulationScenario.Time;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What choosing by load has to achieve whatever the machine: virtual time, fixed seeds. */
@Drawn(oneIn = 3)
final class SimulationTest {
  private static SimulationScenario scenario(String name) {
    return ScenarioCatalogue.all().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static StrategyResult run(SimulationScenario scenario, SelectionStrategy way) {
    return new SimulationResults().run(scenario, way, 1);
  }

  @Test
  void runEventsInOrderOfTime() {
    EventSimulator engine = new EventSimulator();
    List<Long> ran = new ArrayList<>();
    for (long at : new long[] {5, 3, 9, 3, 1, 7, 5}) {
      engine.schedule(at, () -> ran.add(engine.nowNanos()));
    }
    engine.run(8);
    assertThat(ran).containsExactly(1L, 3L, 3L, 5L, 5L, 7L);
  }

  @Test
  void repeatARunWithTheSameSeed() {
    SimulationScenario scenario = scenario("pauses").time(Time.of(1, 5));
    assertThat(run(scenario, SelectionStrategy.ADAPTIVE_HEDGED))
        .isEqualTo(run(scenario, SelectionStrategy.ADAPTIVE_HEDGED));
  }

  @ParameterizedTest
  @ValueSource(strings = {"equal", "slow-x4", "slow-x10", "slow-network", "undercount"})
  void stayNearTheOracleAndNeverWorseThanStock(String name) {
    SimulationScenario scenario = scenario(name).time(Time.of(2, 6));
    StrategyResult ours = run(scenario, SelectionStrategy.ADAPTIVE);
    assertThat(ours.p99()).isLessThan(1.5 * run(scenario, SelectionStrategy.ORACLE).p99());
    assertThat(ours.p99()).isLessThan(1.02 * run(scenario, SelectionStrategy.STOCK).p99());
  }

  @Test
  void followChangingNodeSpeeds() {
    SimulationScenario scenario = scenario("flips-70").time(Time.of(0.5, 1.5));
    StrategyResult ours = run(scenario, SelectionStrategy.ADAPTIVE);
    assertThat(ours.p99()).isLessThan(1.6 * run(scenario, SelectionStrategy.ORACLE).p99());
    assertThat(ours.p99()).isLessThan(0.9 * run(scenario, SelectionStrategy.STOCK).p99());
  }

  @ParameterizedTest
  @ValueSource(strings = {"stopped", "recovering"})
  void avoidANodeThatKeepsStandingStill(String name) {
    StrategyResult ours = run(scenario(name), SelectionStrategy.DEFAULT);
    assertThat(ours.p99()).isLessThan(1.2 * run(scenario(name), SelectionStrategy.ORACLE).p99());
    assertThat(ours.hedgeRatio()).isLessThan(0.03);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ADAPTIVE", "C3", "LEAST_OUTSTANDING"})
  void sendUnderOnePercentToANodeThatFailsFast(String way) {
    StrategyResult ours = run(scenario("failing"), SelectionStrategy.valueOf(way));
    assertThat(ours.windowShareOfNode0()).isPositive().isLessThan(0.01);
    assertThat(ours.failedRatio()).isZero();
  }

  @Test
  void returnToARecoveredNodeWithoutFloodingIt() {
    StrategyResult ours = run(scenario("recovery"), SelectionStrategy.ADAPTIVE);
    assertThat(ours.recoverySeconds()).isLessThan(1.5);
    assertThat(ours.peakShareOfNode0()).isLessThan(2.0 / 6);
  }

  @Test
  void secondRequestsHideAPause() {
    SimulationScenario scenario = scenario("pauses").time(Time.of(2, 10));
    StrategyResult hedged = run(scenario, SelectionStrategy.ADAPTIVE_HEDGED);
    assertThat(hedged.p999()).isLessThan(0.3 * run(scenario, SelectionStrategy.ADAPTIVE).p999());
    assertThat(hedged.hedgeRatio()).isLessThan(0.04);
  }

  @Test
  void returnToAPausedNodeWhileRequestsWait() {
    StrategyResult ours = run(scenario("recovering"), SelectionStrategy.ADAPTIVE_HEDGED);
    assertThat(ours.recoverySeconds()).isLessThan(1.5);
    assertThat(ours.peakShareOfNode0()).isLessThan(1.4 / 3);
  }

  @Test
  void doNotBlameNodesForThePauseOfTheGateway() {
    SimulationScenario scenario = scenario("gateway-pauses").time(Time.of(2, 10));
    StrategyResult ours = run(scenario, SelectionStrategy.ADAPTIVE_HEDGED);
    assertThat(ours.hedgeRatio()).isLessThan(0.03);
    assertThat(ours.p99()).isLessThan(1.05 * run(scenario, SelectionStrategy.ORACLE).p99());
  }

  @ParameterizedTest
  @ValueSource(strings = {"beside-rr", "beside-stock", "beside-many"})
  void improveLatencyBesideGatewaysWithOtherPolicies(String name) {
    SimulationScenario scenario = scenario(name).time(Time.of(2, 6));
    assertThat(run(scenario, SelectionStrategy.ADAPTIVE).p99())
        .isLessThan(0.9 * run(scenario, SelectionStrategy.STOCK).p99());
  }

  @Test
  void raiseTheCacheHitRatioWithCacheAffinity() {
    SimulationScenario scenario = scenario("cache").time(Time.of(5, 5));
    double plain = run(scenario, SelectionStrategy.ADAPTIVE_HEDGED).cacheHitRatio();
    assertThat(run(scenario, SelectionStrategy.ADAPTIVE_CACHE_AFFINITY).cacheHitRatio())
        .isGreaterThan(1.1 * plain);
  }

  @Test
  void searchOnlyTheSearchOnlyReplicas() {
    SimulationScenario scenario = scenario("search-replicas").time(Time.of(1, 2).window(0, 3));
    for (SelectionStrategy way : SelectionStrategy.values()) {
      if (way.isApplicable(scenario)) {
        StrategyResult found = run(scenario, way);
        assertThat(found.peakShareOfNode0()).as(way.label()).isZero();
        assertThat(found.failedRatio()).as(way.label()).isZero();
      }
    }
  }

  @Test
  void attractPrequalToANodeThatFailsFast() {
    double share = run(scenario("failing"), SelectionStrategy.PREQUAL).windowShareOfNode0();
    assertThat(share).isGreaterThan(0.1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"antagonists-40", "antagonists-100", "search-replicas"})
  void followNodesWhoseSpeedChangesEachSecond(String name) {
    SimulationScenario scenario = scenario(name).time(Time.of(2, 3));
    StrategyResult ours = run(scenario, SelectionStrategy.DEFAULT);
    assertThat(ours.failedRatio()).isZero();
    for (SelectionStrategy other :
        new SelectionStrategy[] {SelectionStrategy.PREQUAL, SelectionStrategy.ES95}) {
      assertThat(ours.p99()).isLessThan(1.05 * run(scenario, other).p99());
    }
  }

  @Test
  void reportsTheSameBytesEachTime(@TempDir Path folder) throws IOException {
    for (String run : List.of("one", "two")) {
      int status =
          new CommandLine(new SimulateBench())
              .execute(
                  "--scenario=stopped,failing",
                  "--policy=default,stock,oracle",
                  "--seeds=1",
                  "--out=" + folder.resolve(run));
      assertThat(status).isZero();
    }
    for (String file : List.of("README.md", "stopped.svg", "failing.svg")) {
      assertThat(folder.resolve("one").resolve(file))
          .hasSameBinaryContentAs(folder.resolve("two").resolve(file));
    }
    assertThat(folder.resolve("one").resolve("README.md"))
        .content()
        .contains("| stopped | p99 over the oracle's | 1.200 |", "![p50, p99](failing.svg)");
  }
}
