package dev.weir.bench;

import dev.weir.testkit.process.ShutdownActions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts the system calls of another process with Linux's {@code perf}, where that is installed and
 * permitted.
 */
public final class SystemCallCounter implements AutoCloseable {
  private static final String EVENT = "raw_syscalls:sys_enter";

  private final @Nullable Process perf;
  private final Runnable atExit = this::close;

  private SystemCallCounter(@Nullable Process perf) {
    this.perf = perf;
  }

  /** Starts counting. */
  public static SystemCallCounter start(long pid) {
    List<String> command =
        List.of("perf", "stat", "-x", ",", "-e", EVENT, "-p", Long.toString(pid));
    try {
      SystemCallCounter counter =
          new SystemCallCounter(new ProcessBuilder(command).redirectErrorStream(true).start());
      ShutdownActions.register(counter.atExit);
      return counter;
    } catch (IOException notInstalled) {
      return new SystemCallCounter(null);
    }
  }

  /** Stops counting; returns the number of system calls, or NaN if they could not be counted. */
  public double stop() {
    Process counting = perf;
    if (counting == null) {
      return Double.NaN;
    }
    try {
      new ProcessBuilder("kill", "-INT", Long.toString(counting.pid())).start().waitFor();
      String text = new String(counting.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return text.lines()
          .mapToDouble(SystemCallCounter::count)
          .filter(count -> !Double.isNaN(count))
          .findFirst()
          .orElse(Double.NaN);
    } catch (IOException e) {
      throw new UncheckedIOException("can't read what perf has counted", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Returns the first field of a line about the event, if it is a number; NaN otherwise. */
  static double count(String line) {
    String[] fields = line.split(",", -1);
    return fields.length > 2 && fields[2].startsWith(EVENT) && fields[0].matches("[0-9]+")
        ? Double.parseDouble(fields[0])
        : Double.NaN;
  }

  @Override
  public void close() {
    ShutdownActions.unregister(atExit);
    if (perf != null) {
      perf.destroy();
      try {
        perf.waitFor(5, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
