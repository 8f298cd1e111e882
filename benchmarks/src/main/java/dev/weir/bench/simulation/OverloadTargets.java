package dev.weir.bench.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The bounds that the gateway's default admission must keep in simulated overload. */
final class OverloadTargets {
  private static final double MIN_CAPACITY_RATIO = 0.97;
  private static final double MIN_OF_BEST = 0.97;
  private static final double MAX_P99_OVER_USUAL = 2.2;

  private OverloadTargets() {}

  /**
   * A bound and the measured value.
   *
   * @param isMinimum whether the value must be at least the bound
   */
  record Verdict(String scenario, String what, double value, double bound, boolean isMinimum) {
    boolean isMet() {
      return isMinimum ? value >= bound : value <= bound;
    }

    String format() {
      return String.format(
          Locale.ROOT,
          "%-6s %-12s %s: %.3f (at %s %.3f)",
          isMet() ? "met" : "MISSED",
          scenario,
          what,
          value,
          isMinimum ? "least" : "most",
          bound);
    }
  }

  static List<Verdict> check(
      Map<SimulationScenario, Map<AdmissionStrategy, OverloadResult>> results) {
    List<Verdict> verdicts = new ArrayList<>();
    OverloadResult usual = null;
    for (Map.Entry<SimulationScenario, Map<AdmissionStrategy, OverloadResult>> entry :
        results.entrySet()) {
      SimulationScenario scenario = entry.getKey();
      Map<AdmissionStrategy, OverloadResult> others = new EnumMap<>(AdmissionStrategy.class);
      others.putAll(entry.getValue());
      OverloadResult ours = others.remove(AdmissionStrategy.DEFAULT);
      if (ours == null) {
        continue;
      }
      usual = scenario.name().equals("load-0.8") ? ours : usual;
      String name = scenario.name();
      double best = others.values().stream().mapToDouble(OverloadResult::goodput).max().orElse(0);
      if (best > 0) {
        verdicts.add(
            new Verdict(name, "goodput over the best", ours.goodput() / best, MIN_OF_BEST, true));
      }
      if (name.startsWith("load-") && scenario.load().utilisation() > 1) {
        double capacity = OverloadScenarios.capacity(scenario);
        verdicts.add(
            new Verdict(
                name,
                "goodput over the capacity",
                ours.goodput() / capacity,
                MIN_CAPACITY_RATIO,
                true));
        if (usual != null) {
          verdicts.add(
              new Verdict(
                  name,
                  "p99 over that at 80 %",
                  ours.p99() / usual.p99(),
                  MAX_P99_OVER_USUAL,
                  false));
        }
      }
      if (name.equals("load-0.8")) {
        verdicts.add(new Verdict(name, "in time", ours.inTimeRatio(), 0.999, true));
      }
    }
    return verdicts;
  }
}
