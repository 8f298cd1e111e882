package dev.weir.bench.simulation;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** What the whole of adaptive selection is to reach in simulation, and which way does. */
final class Targets {
  private static final Way OURS = Way.ADAPTIVE_FULL;
  private static final int FEW_GATEWAYS = 8;

  private final Results results;
  private final List<Verdict> verdicts = new ArrayList<>();

  private Targets(Results results) {
    this.results = results;
  }

  /**
   * A target and what came of it.
   *
   * @param byWay values; at most {@code bound} where it is met
   */
  record Verdict(String scenario, String what, double bound, Map<Way, Double> byWay) {
    boolean met(Way way) {
      Double value = byWay.get(way);
      return value != null && value <= bound;
    }

    /** What came of it for the whole of adaptive selection; null where that was not run. */
    @Nullable String line() {
      Double value = byWay.get(OURS);
      return value == null
          ? null
          : String.format(
              Locale.ROOT,
              "%-6s %-16s %s: %.3f (at most %.3f)",
              met(OURS) ? "met" : "MISSED",
              scenario,
              what,
              value,
              bound);
    }
  }

  static List<Verdict> check(Results results) {
    Targets targets = new Targets(results);
    for (Scenario scenario : results.all().keySet()) {
      String name = scenario.name();
      double few = scenario.cluster().gateways() <= FEW_GATEWAYS ? 1.5 : 2.1;
      targets.against(name, "p99 over the oracle's", Measured::p99, Way.ORACLE, few);
      targets.against(name, "p99 over stock's", Measured::p99, Way.STOCK, 1.02);
      targets.special(scenario);
    }
    return targets.verdicts;
  }

  private void special(Scenario scenario) {
    String name = scenario.name();
    switch (name) {
      case "pauses" -> {
        against(name, "p99.9 over stock's", Measured::p999, Way.STOCK, 0.15);
        value(name, "share of second requests", Measured::extra, 0.03);
      }
      case "gateway-pauses" -> value(name, "share of second requests", Measured::extra, 0.03);
      case "stopped" -> {
        against(name, "p90 over the oracle's", Measured::p90, Way.ORACLE, 1.25);
        against(name, "p99 over the oracle's", Measured::p99, Way.ORACLE, 1.25);
        against(name, "p90 over stock's", Measured::p90, Way.STOCK, 0.6);
        against(name, "p99 over stock's", Measured::p99, Way.STOCK, 0.6);
        against(name, "time a search over the oracle's", Targets::time, Way.ORACLE, 1 / 0.97);
        value(name, "share of second requests", Measured::extra, 0.03);
      }
      case "failing" -> value(name, "first attempts to the bad node", Measured::windowShare, 0.005);
      case "recovery", "recovering" -> {
        value(name, "seconds to 80 % of its share", Measured::backSeconds, 1.5);
        double fair = 1.0 / scenario.cluster().nodes();
        value(name, "peak over its fair share", of -> of.peakShare() / fair, 1.4);
      }
      case "saturated" ->
          against(name, "time a search over stock's", Targets::time, Way.STOCK, 1 / 0.97);
      default -> {
        // nothing but what holds everywhere
      }
    }
  }

  private static double time(Measured measured) {
    return 1 / measured.perSecond();
  }

  private void value(String scenario, String what, ToDoubleFunction<Measured> of, double bound) {
    Map<Way, Double> byWay = new EnumMap<>(Way.class);
    for (Way way : Way.values()) {
      Measured measured = results.get(scenario, way);
      if (measured != null && way != Way.ORACLE) {
        byWay.put(way, of.applyAsDouble(measured));
      }
    }
    verdicts.add(new Verdict(scenario, what, bound, byWay));
  }

  private void against(
      String scenario, String what, ToDoubleFunction<Measured> of, Way other, double bound) {
    Measured than = results.get(scenario, other);
    if (than != null) {
      double one = of.applyAsDouble(than);
      value(scenario, what, measured -> of.applyAsDouble(measured) / one, bound);
    }
  }
}
