package dev.weir.testkit.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A running child JVM, whose standard input is a pipe that we hold and never write to.
 *
 * <p>A child that ends when its standard input ends cannot outlive us. Its standard output is
 * handed on line by line, on a daemon thread; its standard error goes to a file.
 */
public final class ChildJvm {
  private static final Duration KILL_TIMEOUT = Duration.ofSeconds(30);

  private static final Duration OUTPUT_TIMEOUT = Duration.ofSeconds(10);

  private final Process process;
  private final Thread output;
  private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

  private ChildJvm(Process process, Consumer<String> lines) {
    this.process = process;
    this.output =
        Thread.ofPlatform()
            .daemon()
            .name("output-of-" + process.pid())
            .start(() -> readLines(process, lines));
    Thread.ofPlatform().daemon().name("end-of-" + process.pid()).start(this::awaitEnd);
  }

  /**
   * Starts a child.
   *
   * @param command what to run
   * @param errorFile where its standard error is appended
   * @param lines gets each line of its standard output
   */
  public static ChildJvm start(JvmCommand command, Path errorFile, Consumer<String> lines) {
    try {
      Files.createDirectories(errorFile.toAbsolutePath().getParent());
      Process process =
          new ProcessBuilder(command.commandLine())
              .redirectError(ProcessBuilder.Redirect.appendTo(errorFile.toFile()))
              .start();
      return new ChildJvm(process, lines);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start a JVM for " + command.name(), e);
    }
  }

  private static void readLines(Process process, Consumer<String> lines) {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.accept(line);
      }
    } catch (IOException ended) {
      // the child has ended, or is being closed
    }
  }

  /**
   * Waits on a thread of its own: {@link Process#onExit()} completes on the common pool, whose only
   * thread on a machine with two processors may be the one that waits for the exit status.
   */
  private void awaitEnd() {
    try {
      exitCode.complete(process.waitFor());
    } catch (InterruptedException e) {
      exitCode.completeExceptionally(e);
    }
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Returns whether the process exists, even if a signal has stopped it. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Completes with the exit status; 128 + n after signal n. */
  public CompletableFuture<Integer> exitCode() {
    return exitCode.copy();
  }

  /** Asks it to end (SIGTERM), and kills it after a timeout. */
  public void stop(Duration timeout) {
    process.destroy();
    if (!awaitExit(timeout)) {
      kill();
    }
  }

  /** Kills it (SIGKILL) and waits for its end. */
  public void kill() {
    process.destroyForcibly();
    if (!awaitExit(KILL_TIMEOUT)) {
      throw new IllegalStateException(
          "process "
              + pid()
              + " still runs "
              + KILL_TIMEOUT.toSeconds()
              + " s after SIGKILL (expected: gone)");
    }
  }

  private boolean awaitExit(Duration timeout) {
    try {
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        return false;
      }
      // the caller may delete the folder that its last lines are written to
      output.join(OUTPUT_TIMEOUT);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
      return true;
    }
  }
}
