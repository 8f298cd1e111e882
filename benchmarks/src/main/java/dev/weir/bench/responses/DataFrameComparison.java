package dev.weir.bench.responses;

import dev.weir.bench.ResultChecks;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Measures the time until hits are in a pandas data frame with parsed dates: with opensearch-py
 * through a coordinating-only node and through the gateway, and with the gateway's Arrow stream.
 * There is no warm-up by CPU time: the time is mostly the Python client's, no CPU time is stated,
 * and the script leaves out the first reads of each way. Requires a Python with pandas, pyarrow and
 * opensearch-py; the variable {@code WEIR_PYTHON} names it.
 */
final class DataFrameComparison {
  private static final double OF_CLIENT = 0.35;

  private final PrintStream out;
  private final ResultChecks verdicts;
  private final BenchPython python = new BenchPython();

  private final int rounds;

  DataFrameComparison(PrintStream out, ResultChecks verdicts, int rounds) {
    this.rounds = rounds;
    this.out = out;
    this.verdicts = verdicts;
  }

  /** Measures, or prints what is missing. */
  void run(InetSocketAddress coordinator, InetSocketAddress gateway) throws IOException {
    if (!python.has("pandas, pyarrow, opensearchpy")) {
      out.println(
          "not measured: data frames; " + python.missing("pandas, pyarrow and opensearch-py"));
      return;
    }
    for (int size : new int[] {1000, 10_000}) {
      String name = "data frame of " + size + " hits";
      out.println("measuring: " + name);
      double[] seconds = measure(coordinator, gateway, size);
      out.printf(
          "%s: %.1f ms by opensearch-py and a coordinating-only node,"
              + " %.1f ms by opensearch-py and the gateway, %.1f ms by Arrow%n",
          name, seconds[0] * 1000, seconds[1] * 1000, seconds[2] * 1000);
      verdicts.checkAtMost(
          name,
          "time by Arrow, of opensearch-py's with a coordinating-only node",
          seconds[2] / seconds[0],
          OF_CLIENT);
    }
  }

  private double[] measure(InetSocketAddress coordinator, InetSocketAddress gateway, int size)
      throws IOException {
    List<List<Double>> lines =
        python.numbers(
            "frames.py",
            List.of(
                BenchPython.text(coordinator),
                BenchPython.text(gateway),
                ResponseIndexes.NARROW,
                Integer.toString(size),
                Integer.toString(rounds)),
            List.of());
    if (lines.size() != 1 || lines.getFirst().size() != 3) {
      throw new IllegalStateException("got from Python: " + lines + " (expected: three times)");
    }
    return lines.getFirst().stream().mapToDouble(Double::doubleValue).toArray();
  }
}
