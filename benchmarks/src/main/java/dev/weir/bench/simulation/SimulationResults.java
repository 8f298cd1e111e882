package dev.weir.bench.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The results by scenario and strategy. */
final class SimulationResults {
  private final Map<SimulationScenario, Map<SelectionStrategy, StrategyResult>> measured =
      new LinkedHashMap<>();

  /** Runs a strategy in a scenario with seeds from 1. */
  StrategyResult run(SimulationScenario scenario, SelectionStrategy way, int seeds) {
    List<RunMeasurements> outcomes = new ArrayList<>();
    for (int seed = 1; seed <= seeds; seed++) {
      outcomes.add(new Simulation(scenario, seed, way).run());
    }
    StrategyResult of = StrategyResult.of(scenario, outcomes);
    measured.computeIfAbsent(scenario, any -> new LinkedHashMap<>()).put(way, of);
    return of;
  }

  Map<SimulationScenario, Map<SelectionStrategy, StrategyResult>> all() {
    return measured;
  }

  @Nullable StrategyResult get(String scenario, SelectionStrategy way) {
    for (Map.Entry<SimulationScenario, Map<SelectionStrategy, StrategyResult>> entry :
        measured.entrySet()) {
      if (entry.getKey().name().equals(scenario)) {
        return entry.getValue().get(way);
      }
    }
    return null;
  }
}
