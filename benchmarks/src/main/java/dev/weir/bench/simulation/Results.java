package dev.weir.bench.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What was measured, by scenario and way. */
final class Results {
  private final Map<Scenario, Map<Way, Measured>> measured = new LinkedHashMap<>();

  /** Runs a way in a scenario with seeds from 1. */
  Measured run(Scenario scenario, Way way, int seeds) {
    List<Outcome> outcomes = new ArrayList<>();
    for (int seed = 1; seed <= seeds; seed++) {
      outcomes.add(new World(scenario, seed, way).run());
    }
    Measured of = Measured.of(scenario, outcomes);
    measured.computeIfAbsent(scenario, any -> new LinkedHashMap<>()).put(way, of);
    return of;
  }

  Map<Scenario, Map<Way, Measured>> all() {
    return measured;
  }

  @Nullable Measured get(String scenario, Way way) {
    for (Map.Entry<Scenario, Map<Way, Measured>> entry : measured.entrySet()) {
      if (entry.getKey().name().equals(scenario)) {
        return entry.getValue().get(way);
      }
    }
    return null;
  }
}
