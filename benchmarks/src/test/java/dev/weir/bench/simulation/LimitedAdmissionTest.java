package dev.weir.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.netflix.concurrency.limits.limit.FixedLimit;
import dev.weir.bench.simulation.SimulationScenario.Cluster;
import dev.weir.bench.simulation.SimulationScenario.Load;
import dev.weir.bench.simulation.SimulationScenario.Time;
import org.junit.jupiter.api.Test;

/** Limits of calls to a node, and of a gateway's searches. */
final class LimitedAdmissionTest {
  private static final SimulationScenario OVERLOADED =
      new SimulationScenario(
          "limited",
          "3 times the capacity of two nodes",
          new Cluster(2, 2, 2, 4, 1),
          Load.open(3, ServiceCosts.exponential(10)),
          Time.of(0.5, 2),
          world -> {});

  private static RunMeasurements run(boolean byNode) {
    return new Simulation(OVERLOADED, 1, new FixedDesign(byNode)).run();
  }

  /** A limit of 4. */
  private record FixedDesign(boolean byNode) implements GatewayDesign {
    @Override
    public String label() {
      return "fixed";
    }

    @Override
    public Components create(
        SimulatedCluster cluster, SimulationScenario scenario, CurrentRequest current, long seed) {
      return SelectionStrategy.ADAPTIVE
          .create(cluster, scenario, current, seed)
          .withAdmission(new LimitedAdmission(cluster, byNode, () -> FixedLimit.of(4)));
    }
  }

  @Test
  void keepEveryThreadBusyWithALimitForEachNode() {
    RunMeasurements run = run(true);
    assertThat(run.searchesPerSecond()).isBetween(650.0, 820.0);
    assertThat(run.failedRatio()).isBetween(0.6, 0.75);
    // nothing waits on a node
    assertThat(run.allRequests.millis(0.5)).isLessThan(12);
  }

  @Test
  void countSearchesWithALimitForTheGateway() {
    RunMeasurements run = run(false);
    // at most 4 searches at once, of which each takes 10 ms
    assertThat(run.searchesPerSecond()).isBetween(300.0, 410.0);
  }
}
