package dev.weir.testkit.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what the system says about a process. */
public final class ProcessStates {
  private static final long TIMEOUT_NANOS = 120_000_000_000L;
  private static final long PAUSE_NANOS = 2_000_000L;

  private ProcessStates() {}

  /** Waits until a process is stopped by a signal. */
  public static void awaitStopped(long pid) {
    await("process " + pid + " is stopped", () -> state(pid).startsWith("t"));
  }

  /** Waits until a process is there and not stopped. */
  public static void awaitRunning(long pid) {
    await(
        "process " + pid + " runs",
        () -> {
          String state = state(pid);
          return !state.isEmpty() && !state.startsWith("t");
        });
  }

  /** Waits until a process is gone, or is but a zombie that its parent did not read. */
  public static void awaitGone(long pid) {
    await(
        "process " + pid + " is gone",
        () -> {
          String state = state(pid);
          return state.isEmpty() || state.startsWith("z");
        });
  }

  /** Waits for a condition, and fails loudly when it does not come. */
  public static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TIMEOUT_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("gave up waiting until " + what);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static String state(long pid) {
    try {
      Process ps = new ProcessBuilder("ps", "-o", "state=", "-p", Long.toString(pid)).start();
      try (BufferedReader reader = ps.inputReader()) {
        String line = reader.readLine();
        return line == null ? "" : line.strip().toLowerCase(Locale.ROOT);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
