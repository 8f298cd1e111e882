package dev.weir.bench.responses;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The Python that runs clients of a benchmark; the variable {@code WEIR_PYTHON} names it. */
final class BenchPython {
  private static final long TIMEOUT_SECONDS = 180;

  private final String command;

  BenchPython() {
    this.command = Objects.requireNonNullElse(System.getenv("WEIR_PYTHON"), "python3");
  }

  /** Returns what to say where modules are missing. */
  String missing(String modules) {
    return command + " has no " + modules + " (WEIR_PYTHON names another)";
  }

  /** Returns whether it can import these modules. */
  boolean has(String modules) throws IOException {
    try {
      Process process = start(List.of("-c", "import " + modules));
      return process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false; // no Python of this name
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Runs a script of this package; returns the numbers of each line that it prints. */
  List<List<Double>> numbers(String script, List<String> arguments, List<String> more)
      throws IOException {
    List<String> all = new ArrayList<>(List.of("-c", read(script)));
    all.addAll(arguments);
    all.addAll(more);
    String output = new String(start(all).getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      return output
          .lines()
          .map(line -> Stream.of(line.strip().split(" ")).map(Double::valueOf).toList())
          .toList();
    } catch (NumberFormatException failed) {
      throw new IllegalStateException("got from Python: " + output, failed);
    }
  }

  static String text(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }

  private Process start(List<String> arguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.command().addAll(arguments);
    return builder.redirectErrorStream(true).start();
  }

  private static String read(String script) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(BenchPython.class.getResourceAsStream(script), script)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
