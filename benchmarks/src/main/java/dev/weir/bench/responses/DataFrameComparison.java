package dev.weir.bench.responses;

import dev.weir.bench.ResultChecks;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Measures the time until hits are in a pandas data frame with parsed dates: with opensearch-py
 * through a coordinating-only node and through the gateway, and with the gateway's Arrow stream.
 * There is no warm-up by CPU time: the time is mostly the Python client's, no CPU time is stated,
 * and the script leaves out the first reads of each way. Requires a Python with pandas, pyarrow and
 * opensearch-py; the variable {@code WEIR_PYTHON} names it.
 */
final class DataFrameComparison {
  private static final double OF_CLIENT = 0.35;
  private static final long TIMEOUT_SECONDS = 180;

  private final PrintStream out;
  private final ResultChecks verdicts;
  private final String python;

  private final int rounds;

  DataFrameComparison(PrintStream out, ResultChecks verdicts, int rounds) {
    this.rounds = rounds;
    this.out = out;
    this.verdicts = verdicts;
    this.python = Objects.requireNonNullElse(System.getenv("WEIR_PYTHON"), "python3");
  }

  /** Measures, or prints what is missing. */
  void run(InetSocketAddress coordinator, InetSocketAddress gateway) throws IOException {
    if (!finds(List.of("-c", "import pandas, pyarrow, opensearchpy"))) {
      out.println(
          "not measured: data frames; "
              + python
              + " has no pandas, pyarrow and opensearch-py (WEIR_PYTHON names another)");
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

  private boolean finds(List<String> arguments) throws IOException {
    try {
      Process process = start(arguments);
      return process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // no Python of this name
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private double[] measure(InetSocketAddress coordinator, InetSocketAddress gateway, int size)
      throws IOException {
    Process process =
        start(
            List.of(
                "-c",
                script(),
                text(coordinator),
                text(gateway),
                ResponseIndexes.NARROW,
                Integer.toString(size),
                Integer.toString(rounds)));
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String[] seconds = output.strip().split(" ");
    if (seconds.length != 3) {
      throw new IllegalStateException("got from Python: " + output + " (expected: three times)");
    }
    return Arrays.stream(seconds).mapToDouble(Double::parseDouble).toArray();
  }

  private static String text(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }

  private Process start(List<String> arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(python);
    builder.command().addAll(arguments);
    return builder.redirectErrorStream(true).start();
  }

  private static String script() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(DataFrameComparison.class.getResourceAsStream("frames.py"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
