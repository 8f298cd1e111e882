package dev.weir.bench.overload;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Whether figures are as promised; printed at the end. Confined to one thread. */
final class Verdicts {
  private final PrintStream out;
  private final List<String> lines = new ArrayList<>();

  Verdicts(PrintStream out) {
    this.out = out;
  }

  void atLeast(String title, String what, double got, double bound) {
    add(title, what, got, "at least", bound, got >= bound);
  }

  void atMost(String title, String what, double got, double bound) {
    add(title, what, got, "at most", bound, got <= bound);
  }

  void holds(String title, String what, boolean met) {
    lines.add("%-7s %s: %s".formatted(met ? "met" : "MISSED", title, what));
  }

  private void add(
      String title, String what, double got, String relation, double bound, boolean met) {
    lines.add(
        "%-7s %s: %s %.2f (%s %.2f)"
            .formatted(met ? "met" : "MISSED", title, what, got, relation, bound));
  }

  void print() {
    out.println();
    lines.forEach(out::println);
  }
}
