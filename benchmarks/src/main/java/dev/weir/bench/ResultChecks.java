package dev.weir.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Compares measurements with the bounds that the documents promise. A benchmark prints the checks
 * at its end and returns {@link #exitCode}. Confined to one thread.
 */
public final class ResultChecks {
  /** The exit code of a benchmark that completed and missed a bound. */
  public static final int BOUND_MISSED = 3;

  private final PrintStream out;
  private final List<String> lines = new ArrayList<>();
  private int missed;

  /** Creates an empty list of checks. */
  public ResultChecks(PrintStream out) {
    this.out = out;
  }

  /** Requires a value of at least {@code bound}; NaN misses it. */
  public void checkAtLeast(String title, String what, double got, double bound) {
    add(title, what, got, "at least", bound, got >= bound);
  }

  /** Requires a value of at most {@code bound}; NaN misses it. */
  public void checkAtMost(String title, String what, double got, double bound) {
    add(title, what, got, "at most", bound, got <= bound);
  }

  /**
   * Requires that a path had no errors. Each path of which a figure is checked needs this: a
   * rejected request is cheap and quick.
   *
   * @param errors requests without a success
   */
  public void checkSuccesses(String title, String path, long errors) {
    checkAtMost(title, path + ", errors", (double) errors, 0);
  }

  public void checkTrue(String title, String what, boolean met) {
    add(met, title + ": " + what);
  }

  private void add(
      String title, String what, double got, String relation, double bound, boolean met) {
    String text = "%s: %s %.3f (%s %.3f)";
    add(met, String.format(Locale.ROOT, text, title, what, got, relation, bound));
  }

  private void add(boolean met, String text) {
    lines.add("%-7s %s".formatted(met ? "met" : "MISSED", text));
    missed += met ? 0 : 1;
  }

  /** Prints every check in order, and how many were met. */
  public void print() {
    out.println();
    lines.forEach(out::println);
    if (lines.isEmpty()) {
      out.println("MISSED  nothing was checked: no part that has a bound was measured");
    }
    out.printf("%d of %d bounds met%n", lines.size() - missed, lines.size());
  }

  /** Returns 0 if something was checked and every bound was met, else {@link #BOUND_MISSED}. */
  public int exitCode() {
    return missed == 0 && !lines.isEmpty() ? 0 : BOUND_MISSED;
  }
}
