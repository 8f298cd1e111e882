package dev.weir.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Whether figures are as promised; printed at the end. Confined to one thread. */
public final class ResultChecks {
  private final PrintStream out;
  private final List<String> lines = new ArrayList<>();

  /** Makes one without any figure. */
  public ResultChecks(PrintStream out) {
    this.out = out;
  }

  /** A figure must be no smaller than a bound. */
  public void checkAtLeast(String title, String what, double got, double bound) {
    add(title, what, got, "at least", bound, got >= bound);
  }

  /** A figure must be no greater than a bound. */
  public void checkAtMost(String title, String what, double got, double bound) {
    add(title, what, got, "at most", bound, got <= bound);
  }

  /** Something must be so. */
  public void checkTrue(String title, String what, boolean met) {
    lines.add("%-7s %s: %s".formatted(met ? "met" : "MISSED", title, what));
  }

  private void add(
      String title, String what, double got, String relation, double bound, boolean met) {
    lines.add(
        "%-7s %s: %s %.2f (%s %.2f)"
            .formatted(met ? "met" : "MISSED", title, what, got, relation, bound));
  }

  /** Prints all, in the order in which they came. */
  public void print() {
    out.println();
    lines.forEach(out::println);
  }
}
