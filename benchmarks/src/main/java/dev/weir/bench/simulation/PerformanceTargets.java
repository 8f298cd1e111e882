package dev.weir.bench.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The bounds that the default selection must keep in simulation, for every selection. */
final class PerformanceTargets {
  /** The gateway's default selection; the others are for comparison. */
  private static final SelectionStrategy JUDGED = SelectionStrategy.DEFAULT;

  /**
   * Targets that it is known to miss with five seeds, and the value that it must keep all the same:
   * a tenth above what was measured. docs/routing.md says why. A run fails if it misses another
   * target, or one of these by more. With fewer seeds it may meet one of these.
   */
  private static final Map<String, Double> KNOWN_MISSES =
      Map.ofEntries(
          Map.entry("test-2017: p99 over the oracle's", 1.5),
          Map.entry("test-2017: p99 over the best other's", 1.14),
          Map.entry("saturated: p99 over the best other's", 1.28),
          Map.entry("flips-70: p99 over the oracle's", 1.49),
          Map.entry("flips-90: failed", 0.003),
          Map.entry("flips-70-20gw: p99 over the oracle's", 1.91),
          Map.entry("flips-70-20gw: p99 over the best other's", 1.19),
          Map.entry("pauses: p99.9 over stock's", 0.31),
          Map.entry("fan-out: p99 over the oracle's", 1.42),
          Map.entry("hiccups: p99 over the best other's", 1.16),
          Map.entry("gateway-pauses: failed", 0.017),
          Map.entry("herd: p99 over the oracle's", 2.8),
          Map.entry("herd: p99 over the best other's", 1.33),
          Map.entry("antagonists-40: p99 over the oracle's", 1.45),
          Map.entry("antagonists-100: p99 over the oracle's", 1.46),
          Map.entry("search-replicas: p99 over the best other's", 1.16),
          Map.entry("stopped: p99 over the oracle's", 1.59),
          Map.entry("slowed: p99 over the best other's", 1.19),
          Map.entry("recovering: p99 over the oracle's", 1.59),
          Map.entry("cold-for-heavy: p99 over the best other's", 1.23));

  private static final double MAX_OVER_ORACLE = 1.2;

  /**
   * Where each gateway sees a twentieth of all responses, and speeds or loads change all the time.
   */
  private static final double MAX_OVER_ORACLE_AT_CHANGE = 1.5;

  private static final Set<String> CHANGING_WITH_MANY_GATEWAYS = Set.of("herd", "flips-70-20gw");
  private static final double MAX_OVER_BEST = 1.03;
  private static final double MAX_OVER_STOCK = 1.02;
  private static final double MAX_FAILED_RATIO = 0.001;

  private final SimulationResults results;
  private final List<TargetResult> verdicts = new ArrayList<>();

  private PerformanceTargets(SimulationResults results) {
    this.results = results;
  }

  /**
   * A bound and the measured values.
   *
   * @param byWay the value of each selection; a value of at most {@code bound} meets the target
   */
  record TargetResult(
      String scenario, String description, double bound, Map<SelectionStrategy, Double> byWay) {
    boolean isMet(SelectionStrategy way) {
      Double value = byWay.get(way);
      return value != null && value <= bound;
    }

    /**
     * Returns whether the default selection meets the target, was not run, or is known to miss it.
     */
    boolean isAccepted() {
      return !byWay.containsKey(JUDGED) || isMet(JUDGED) || isKnownMiss();
    }

    private boolean isKnownMiss() {
      Double value = byWay.get(JUDGED);
      Double most = KNOWN_MISSES.get(scenario + ": " + description);
      return value != null && most != null && value <= most;
    }

    private String verdict() {
      if (isMet(JUDGED)) {
        return isKnownMiss() ? "MET, though listed as missed" : "met";
      }
      return isKnownMiss() ? "known" : "MISSED";
    }

    /** Returns the line for the console; null if the default selection was not run. */
    @Nullable String format() {
      Double value = byWay.get(JUDGED);
      return value == null
          ? null
          : String.format(
              Locale.ROOT,
              "%-6s %-16s %s: %.3f (at most %.3f)",
              verdict(),
              scenario,
              description,
              value,
              bound);
    }
  }

  static List<TargetResult> check(SimulationResults results) {
    PerformanceTargets targets = new PerformanceTargets(results);
    for (SimulationScenario scenario : results.all().keySet()) {
      String name = scenario.name();
      targets.checkAgainst(
          name,
          "p99 over the oracle's",
          StrategyResult::p99,
          SelectionStrategy.ORACLE,
          CHANGING_WITH_MANY_GATEWAYS.contains(name) ? MAX_OVER_ORACLE_AT_CHANGE : MAX_OVER_ORACLE);
      targets.checkAgainst(
          name, "p99 over stock's", StrategyResult::p99, SelectionStrategy.STOCK, MAX_OVER_STOCK);
      targets.checkAgainstBest(name);
      targets.checkValue(name, "failed", StrategyResult::failedRatio, MAX_FAILED_RATIO);
      targets.checkScenario(scenario);
    }
    return targets.verdicts;
  }

  private void checkScenario(SimulationScenario scenario) {
    String name = scenario.name();
    switch (name) {
      case "pauses" -> {
        checkAgainst(
            name, "p99.9 over stock's", StrategyResult::p999, SelectionStrategy.STOCK, 0.15);
        checkValue(name, "share of second requests", StrategyResult::hedgeRatio, 0.03);
      }
      case "gateway-pauses" ->
          checkValue(name, "share of second requests", StrategyResult::hedgeRatio, 0.03);
      case "stopped" -> {
        checkAgainst(
            name, "p90 over the oracle's", StrategyResult::p90, SelectionStrategy.ORACLE, 1.25);
        checkAgainst(name, "p90 over stock's", StrategyResult::p90, SelectionStrategy.STOCK, 0.6);
        checkAgainst(name, "p99 over stock's", StrategyResult::p99, SelectionStrategy.STOCK, 0.6);
        checkAgainst(
            name,
            "time a search over the oracle's",
            PerformanceTargets::recoveryTime,
            SelectionStrategy.ORACLE,
            1 / 0.97);
        checkValue(name, "share of second requests", StrategyResult::hedgeRatio, 0.03);
      }
      case "failing" ->
          checkValue(
              name, "first attempts to the bad node", StrategyResult::windowShareOfNode0, 0.005);
      case "recovery", "recovering" -> {
        checkValue(name, "seconds to 80 % of its share", StrategyResult::recoverySeconds, 1.5);
        double fair = 1.0 / scenario.cluster().nodes();
        checkValue(name, "peak over its fair share", of -> of.peakShareOfNode0() / fair, 1.4);
      }
      case "saturated" ->
          checkAgainst(
              name,
              "time a search over stock's",
              PerformanceTargets::recoveryTime,
              SelectionStrategy.STOCK,
              1 / 0.97);
      default -> {
        // only the targets of all scenarios
      }
    }
  }

  /**
   * Compares p99 with that of the best other policy. Left out: the oracles, and the preference for
   * cached responses, which needs the cache key of a request.
   */
  private void checkAgainstBest(String scenario) {
    double best = Double.POSITIVE_INFINITY;
    for (SelectionStrategy way : SelectionStrategy.values()) {
      StrategyResult measured = results.get(scenario, way);
      boolean competes =
          way != JUDGED && !way.isOracle() && way != SelectionStrategy.ADAPTIVE_CACHE_AFFINITY;
      if (measured != null && competes) {
        best = Math.min(best, measured.p99());
      }
    }
    if (best < Double.POSITIVE_INFINITY) {
      double than = best;
      checkValue(scenario, "p99 over the best other's", found -> found.p99() / than, MAX_OVER_BEST);
    }
  }

  private static double recoveryTime(StrategyResult measured) {
    return 1 / measured.searchesPerSecond();
  }

  private void checkValue(
      String scenario, String what, ToDoubleFunction<StrategyResult> of, double bound) {
    Map<SelectionStrategy, Double> byWay = new EnumMap<>(SelectionStrategy.class);
    for (SelectionStrategy way : SelectionStrategy.values()) {
      StrategyResult measured = results.get(scenario, way);
      if (measured != null && !way.isOracle()) {
        byWay.put(way, of.applyAsDouble(measured));
      }
    }
    verdicts.add(new TargetResult(scenario, what, bound, byWay));
  }

  private void checkAgainst(
      String scenario,
      String what,
      ToDoubleFunction<StrategyResult> of,
      SelectionStrategy other,
      double bound) {
    StrategyResult than = results.get(scenario, other);
    if (than != null) {
      double one = of.applyAsDouble(than);
      checkValue(scenario, what, measured -> of.applyAsDouble(measured) / one, bound);
    }
  }
}
