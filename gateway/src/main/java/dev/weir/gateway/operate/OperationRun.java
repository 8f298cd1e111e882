package dev.weir.gateway.operate;

import dev.weir.operate.Operation;
import dev.weir.operate.OperationException;
import dev.weir.operate.OperationObserver;
import dev.weir.operate.OperationStep;
import dev.weir.operate.ShellRunner;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of an operation in the gateway: its thread, and the newest lines of its progress and of
 * its commands. Safe on any thread.
 */
final class OperationRun implements OperationObserver, ShellRunner {
  private static final Logger LOGGER = LoggerFactory.getLogger(OperationRun.class);
  private static final int MAX_LINES = 100;
  private static final int MAX_LINE_CHARACTERS = 1000;
  private static final int BUFFER_CHARACTERS = 4096;
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

  /** What a command has written before its end is in the pipe, and read at once. */
  private static final Duration OUTPUT_TIMEOUT = Duration.ofSeconds(1);

  private final Deque<String> lines = new ArrayDeque<>();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final String cluster;
  private volatile @Nullable Thread thread;
  private volatile @Nullable OperationException failure;
  private boolean hasEnded;
  private boolean aborts;

  OperationRun(String cluster) {
    this.cluster = cluster;
  }

  /** What an operation is to do. */
  @FunctionalInterface
  interface Work {
    void run(Operation operation) throws OperationException, InterruptedException;
  }

  void start(Operation operation, Work work) {
    thread = Thread.ofPlatform().name("weir-operation").daemon().start(() -> run(operation, work));
  }

  private void run(Operation operation, Work work) {
    try {
      work.run(operation);
      onProgress("done");
    } catch (OperationException e) {
      failure = e;
      onProgress(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      onProgress("stopped; the journal stays");
    } catch (RuntimeException e) {
      LOGGER.error("an operation failed", e);
      failure = new OperationException("the operation failed: " + e, e);
      onProgress("failed: " + e);
    } finally {
      begun.countDown();
    }
    if (end()) {
      abort(operation);
    }
  }

  /** Remembers that the work has ended; returns whether the operation is to be aborted. */
  private synchronized boolean end() {
    hasEnded = true;
    return aborts;
  }

  private void abort(Operation operation) {
    try {
      if (operation.journal() != null) {
        operation.abort();
      }
    } catch (OperationException e) {
      onProgress("not aborted: " + e.getMessage());
    } catch (InterruptedException e) {
      onProgress("not aborted; the journal stays");
    }
  }

  /**
   * Has the thread abort the operation once its work has ended.
   *
   * @return false if the work has ended already
   */
  synchronized boolean abortAtEnd() {
    aborts = thread != null && !hasEnded;
    return aborts;
  }

  /**
   * Waits until the journal is written, or the work has ended before.
   *
   * @return false if neither happened in time
   * @throws OperationException if it was refused
   */
  boolean awaitBegin(Duration timeout) throws OperationException, InterruptedException {
    boolean isKnown = begun.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    OperationException refused = failure;
    if (refused != null) {
      throw refused;
    }
    return isKnown;
  }

  /** The name of the cluster that it works on; empty if the gateway has no other. */
  String cluster() {
    return cluster;
  }

  boolean isAlive() {
    Thread own = thread;
    return own != null && own.isAlive();
  }

  void interrupt() {
    Thread own = thread;
    if (own != null) {
      own.interrupt();
    }
  }

  /** Interrupts the thread, and waits a while for its end. */
  void stop() throws InterruptedException {
    Thread own = thread;
    if (own != null) {
      own.interrupt();
      own.join(STOP_TIMEOUT);
    }
  }

  synchronized List<String> lines() {
    return new ArrayList<>(lines);
  }

  @Override
  public void onProgress(String line) {
    LOGGER.info("{}", line);
    add(Instant.now().truncatedTo(ChronoUnit.SECONDS) + " " + line);
  }

  private synchronized void add(String line) {
    lines.add(line);
    if (lines.size() > MAX_LINES) {
      lines.removeFirst();
    }
  }

  @Override
  public void onStep(OperationStep step, Moment moment, List<String> batch) {
    if (moment == Moment.BEGUN) {
      begun.countDown();
    }
  }

  /**
   * Runs a command until its shell ends. What the shell leaves in the background may keep the
   * output open, so the end of the output does not count. An interrupt takes effect once the shell
   * has ended: half a restart is worse than a late abort.
   */
  @Override
  public int run(String command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder("sh", "-c", command)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectErrorStream(true)
            .start();
    Thread reader =
        Thread.ofVirtual().name("weir-operation-output").start(() -> addOutput(process));
    int status = process.onExit().join().exitValue(); // keeps an interrupt for later
    boolean interrupted = Thread.interrupted();
    try {
      reader.join(OUTPUT_TIMEOUT);
    } finally {
      process.getInputStream().close();
    }
    if (interrupted) {
      throw new InterruptedException("interrupted while the command ran");
    }
    return status;
  }

  private void addOutput(Process process) {
    StringBuilder line = new StringBuilder();
    char[] buffer = new char[BUFFER_CHARACTERS];
    try {
      BufferedReader output = process.inputReader(); // its close() would wait for its read()
      for (int count = output.read(buffer); count >= 0; count = output.read(buffer)) {
        for (int i = 0; i < count; i++) {
          if (buffer[i] == '\n') {
            addOutput(line);
          } else if (line.length() <= MAX_LINE_CHARACTERS) {
            line.append(buffer[i]); // one more than is shown, to tell what is cut
          }
        }
      }
      if (!line.isEmpty()) {
        addOutput(line);
      }
    } catch (IOException closed) {
      // the command has ended, and left a process that writes
    }
  }

  /** Adds a line of a command, as far as it is shown, and empties it. */
  private void addOutput(StringBuilder line) {
    boolean isCut = line.length() > MAX_LINE_CHARACTERS;
    String shown = isCut ? line.substring(0, MAX_LINE_CHARACTERS) + "..." : line.toString();
    line.setLength(0);
    add("  | " + shown.stripTrailing());
  }
}
