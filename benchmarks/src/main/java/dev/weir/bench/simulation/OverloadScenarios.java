package dev.weir.bench.simulation;

import dev.weir.bench.simulation.SimulationScenario.Cluster;
import dev.weir.bench.simulation.SimulationScenario.Load;
import dev.weir.bench.simulation.SimulationScenario.Time;
import java.util.List;
import java.util.function.Consumer;

/** Scenarios in which clients send more than the nodes can do. */
final class OverloadScenarios {
  private static final Cluster SIX = new Cluster(6, 3, 6, 13, 3);
  private static final ServiceCosts USUAL = ServiceCosts.lognormal(20, 0.8);
  private static final Time TIME = Time.of(5, 20);

  private OverloadScenarios() {}

  static List<SimulationScenario> all() {
    return List.of(
        overload("load-0.8", "80 % of the capacity", 0.8, USUAL, world -> {}),
        overload("load-1.5", "1.5 times the capacity", 1.5, USUAL, world -> {}),
        overload("load-3", "3 times the capacity", 3, USUAL, world -> {}),
        overload(
            "slow-node",
            "90 % of the capacity of six equal nodes, one of which is at a quarter of its speed",
            0.9,
            USUAL,
            world -> world.schedule(5, () -> world.nodes().getFirst().slowFactor = 4)),
        overload(
            "mixed-costs",
            "1.5 times the capacity, 1 request in 20 costs 40 times as much",
            1.5,
            ServiceCosts.lognormal(5, 0.5).withHeavy(0.05, 40),
            world -> {}));
  }

  private static SimulationScenario overload(
      String name, String text, double load, ServiceCosts costs, Consumer<FaultTarget> script) {
    return new SimulationScenario(name, text, SIX, Load.open(load, costs), TIME, script);
  }

  /** Returns the searches a second that the nodes can answer at the end of the script. */
  static double capacity(SimulationScenario scenario) {
    double full = scenario.searchesPerSecond() / scenario.load().utilisation();
    return scenario.name().equals("slow-node") ? full * (5 + 0.25) / 6 : full;
  }
}
