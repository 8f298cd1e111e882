package dev.weir.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.simulation.Scenario.Time;
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
final class SimulationTest {
  private static Scenario scenario(String name) {
    return Scenarios.all().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Measured run(Scenario scenario, Way way) {
    return new Results().run(scenario, way, 1);
  }

  @Test
  void eventsRunInTheOrderOfTheirTimes() {
    Engine engine = new Engine();
    List<Long> ran = new ArrayList<>();
    for (long at : new long[] {5, 3, 9, 3, 1, 7, 5}) {
      engine.at(at, () -> ran.add(engine.now()));
    }
    engine.run(8);
    assertThat(ran).containsExactly(1L, 3L, 3L, 5L, 5L, 7L);
  }

  @Test
  void theSameSeedGivesTheSameRun() {
    Scenario scenario = scenario("pauses").time(Time.of(1, 5));
    assertThat(run(scenario, Way.ADAPTIVE_FULL)).isEqualTo(run(scenario, Way.ADAPTIVE_FULL));
  }

  @ParameterizedTest
  @ValueSource(strings = {"equal", "slow-x4", "slow-x10", "slow-network", "undercount"})
  void isNearTheOracleAndNeverWorseThanStock(String name) {
    Scenario scenario = scenario(name).time(Time.of(2, 6));
    Measured ours = run(scenario, Way.ADAPTIVE);
    assertThat(ours.p99()).isLessThan(1.5 * run(scenario, Way.ORACLE).p99());
    assertThat(ours.p99()).isLessThan(1.02 * run(scenario, Way.STOCK).p99());
  }

  @Test
  void followsNodesWhoseSpeedChanges() {
    Scenario scenario = scenario("flips-70").time(Time.of(0.5, 1.5));
    Measured ours = run(scenario, Way.ADAPTIVE);
    assertThat(ours.p99()).isLessThan(1.6 * run(scenario, Way.ORACLE).p99());
    assertThat(ours.p99()).isLessThan(0.9 * run(scenario, Way.STOCK).p99());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ADAPTIVE", "C3", "LEAST_OUTSTANDING"})
  void aNodeThatFailsFastGetsUnderOnePercent(String way) {
    Measured ours = run(scenario("failing"), Way.valueOf(way));
    assertThat(ours.windowShare()).isPositive().isLessThan(0.01);
    assertThat(ours.failed()).isZero();
  }

  @Test
  void aNodeThatRecoveredIsUsedAgainWithoutAFlood() {
    Measured ours = run(scenario("recovery"), Way.ADAPTIVE);
    assertThat(ours.backSeconds()).isLessThan(1.5);
    assertThat(ours.peakShare()).isLessThan(2.0 / 6);
  }

  @Test
  void secondRequestsHideAPause() {
    Scenario scenario = scenario("pauses").time(Time.of(2, 10));
    Measured hedged = run(scenario, Way.ADAPTIVE_HEDGED);
    assertThat(hedged.p999()).isLessThan(0.3 * run(scenario, Way.ADAPTIVE).p999());
    assertThat(hedged.extra()).isLessThan(0.04);
  }

  @Test
  void lateBindingLetsCheapRequestsPass() {
    Scenario scenario = scenario("mixed-90").time(Time.of(2, 6));
    assertThat(run(scenario, Way.ADAPTIVE_FULL).cheapP99())
        .isLessThan(0.8 * run(scenario, Way.STOCK).cheapP99());
  }

  @Test
  void aNodeThatStandsStillMostOfTheTimeIsNotAsked() {
    Scenario scenario = scenario("stopped").time(Time.of(3, 6));
    Measured ours = run(scenario, Way.ADAPTIVE_FULL);
    Measured stock = run(scenario, Way.STOCK);
    Measured oracle = run(scenario, Way.ORACLE);
    assertThat(ours.p90()).isLessThan(0.6 * stock.p90()).isLessThan(1.25 * oracle.p90());
    assertThat(ours.p99()).isLessThan(0.6 * stock.p99()).isLessThan(1.25 * oracle.p99());
    assertThat(ours.extra()).isLessThan(0.03);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ADAPTIVE_HEDGED", "ADAPTIVE_FULL"})
  void aNodeThatStoodStillIsUsedAgainAlsoWhenRequestsAlwaysWait(String way) {
    Measured ours = run(scenario("recovering"), Way.valueOf(way));
    assertThat(ours.backSeconds()).isLessThan(1.5);
    assertThat(ours.peakShare()).isLessThan(1.4 / 3);
  }

  @Test
  void aGatewayThatStoodStillBlamesNobody() {
    Scenario scenario = scenario("gateway-pauses").time(Time.of(2, 10));
    Measured ours = run(scenario, Way.ADAPTIVE_HEDGED);
    assertThat(ours.extra()).isLessThan(0.03);
    assertThat(ours.p99()).isLessThan(1.05 * run(scenario, Way.ORACLE).p99());
  }

  @ParameterizedTest
  @ValueSource(strings = {"beside-rr", "beside-stock", "beside-many"})
  void isWorthItBesideGatewaysThatChooseOtherwise(String name) {
    Scenario scenario = scenario(name).time(Time.of(2, 6));
    assertThat(run(scenario, Way.ADAPTIVE).p99()).isLessThan(0.9 * run(scenario, Way.STOCK).p99());
  }

  @Test
  void aHomeFindsMoreInItsCache() {
    Scenario scenario = scenario("cache").time(Time.of(5, 5));
    double plain = run(scenario, Way.ADAPTIVE_HEDGED).hits();
    assertThat(run(scenario, Way.ADAPTIVE_HOME).hits()).isGreaterThan(1.1 * plain);
  }

  @Test
  void reportsTheSameBytesEachTime(@TempDir Path folder) throws IOException {
    for (String run : List.of("one", "two")) {
      int status =
          new CommandLine(new SimulateBench())
              .execute(
                  "--scenario=stopped,failing",
                  "--policy=adaptive-full,stock,oracle",
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
        .contains("| stopped | p99 over the oracle's | 1.250 |", "![p50, p99](failing.svg)");
  }
}
