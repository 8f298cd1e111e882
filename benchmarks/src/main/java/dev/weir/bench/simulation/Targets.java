package dev.weir.bench.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** What the whole of adaptive selection is to reach in simulation, and whether it does. */
final class Targets {
  private static final Way OURS = Way.ADAPTIVE_FULL;
  private static final int FEW_GATEWAYS = 8;

  private Targets() {}

  /**
   * A target and what came of it.
   *
   * @param value at most {@code bound} when met
   */
  record Verdict(String scenario, String what, double value, double bound) {
    boolean met() {
      return value <= bound;
    }

    String line() {
      return String.format(
          Locale.ROOT,
          "%-6s %-16s %s: %.3f (at most %.3f)",
          met() ? "met" : "MISSED",
          scenario,
          what,
          value,
          bound);
    }
  }

  static List<Verdict> check(Results results) {
    List<Verdict> verdicts = new ArrayList<>();
    for (Scenario scenario : results.all().keySet()) {
      String name = scenario.name();
      Measured ours = results.get(name, OURS);
      if (ours == null) {
        continue;
      }
      Measured oracle = results.get(name, Way.ORACLE);
      Measured stock = results.get(name, Way.STOCK);
      double few = scenario.cluster().gateways() <= FEW_GATEWAYS ? 1.5 : 2.1;
      against(verdicts, name, "p99 over the oracle's", Measured::p99, ours, oracle, few);
      against(verdicts, name, "p99 over stock's", Measured::p99, ours, stock, 1.02);
      special(verdicts, name, ours, stock);
    }
    return verdicts;
  }

  private static void special(
      List<Verdict> verdicts, String name, Measured ours, @Nullable Measured stock) {
    switch (name) {
      case "pauses" -> {
        against(verdicts, name, "p99.9 over stock's", Measured::p999, ours, stock, 0.15);
        verdicts.add(new Verdict(name, "share of second requests", ours.extra(), 0.03));
      }
      case "failing" ->
          verdicts.add(
              new Verdict(name, "first attempts to the bad node", ours.windowShare(), 0.005));
      case "recovery" -> {
        verdicts.add(new Verdict(name, "seconds to 80 % of its share", ours.backSeconds(), 1.5));
        verdicts.add(new Verdict(name, "peak over its fair share", ours.peakShare() * 6, 1.4));
      }
      case "saturated" ->
          against(
              verdicts,
              name,
              "time a search over stock's",
              measured -> 1 / measured.perSecond(),
              ours,
              stock,
              1 / 0.97);
      default -> {}
    }
  }

  private static void against(
      List<Verdict> verdicts,
      String scenario,
      String what,
      ToDoubleFunction<Measured> of,
      Measured ours,
      @Nullable Measured other,
      double bound) {
    if (other != null) {
      double ratio = of.applyAsDouble(ours) / of.applyAsDouble(other);
      verdicts.add(new Verdict(scenario, what, ratio, bound));
    }
  }
}
