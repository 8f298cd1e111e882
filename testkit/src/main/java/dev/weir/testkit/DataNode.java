package dev.weir.testkit;

import dev.weir.testkit.process.ChildJvm;
import dev.weir.testkit.process.ProcessPriority;
import dev.weir.testkit.process.ProcessThrottle;
import dev.weir.testkit.process.SignalSender;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One real OpenSearch node in a child JVM, at the same ports and with the same data however often
 * it is started.
 *
 * <p>Safe for use by several threads, one call at a time.
 */
public final class DataNode {
  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

  private final Path home;
  private final PortPlan.Assigned ports;
  private final NodeLaunchConfig launch;
  private final RestAccess access;
  private volatile NodeSpec spec;

  private CompletableFuture<String> started = new CompletableFuture<>();
  private @Nullable ChildJvm child;
  private @Nullable SignalSender signals;
  private @Nullable ProcessThrottle throttle;

  /** Whether it was frozen, slowed or ended since the last restore. */
  private boolean disturbed;

  DataNode(NodeSpec spec, Path home, PortPlan.Assigned ports, NodeLaunchConfig launch) {
    this.spec = spec;
    this.home = home;
    this.ports = ports;
    this.launch = launch;
    this.access = launch.access();
  }

  /** Returns the file of the node's standard error. */
  static Path errorFile(Path home) {
    return home.resolve("logs").resolve("stderr.log");
  }

  /** Returns its specification. */
  public NodeSpec spec() {
    return spec;
  }

  /** Its name. */
  public String name() {
    return spec.name();
  }

  /** The port of its REST endpoint on 127.0.0.1. */
  public int httpPort() {
    return ports.http();
  }

  /** The port of its transport endpoint on 127.0.0.1. */
  public int transportPort() {
    return ports.transport();
  }

  /** Its REST endpoint. */
  public URI httpUri() {
    return access.endpoint("127.0.0.1", ports.http());
  }

  /** Its transport endpoint as {@code host:port}, fit for a seed list. */
  public String transportAddress() {
    return "127.0.0.1:" + ports.transport();
  }

  /** Its main log. */
  public Path log() {
    return StartFailureDiagnosis.mainLog(home);
  }

  /** Its id, which the cluster uses; known once it has started. */
  public synchronized String id() {
    String line = started.join();
    return line.substring(line.lastIndexOf("id=") + "id=".length());
  }

  /** Returns the process id; throws if it does not run. */
  public synchronized long pid() {
    return requireRunning().pid();
  }

  /** Returns whether its process exists, even if frozen. */
  public synchronized boolean isAlive() {
    return child != null && child.isAlive();
  }

  /** Completes with the exit status of the current process; 128 + n after signal n. */
  public synchronized CompletableFuture<Integer> exitCode() {
    return requireRunning().exitCode();
  }

  /** Starts its process without waiting. */
  synchronized void launch() {
    if (isAlive()) {
      throw new IllegalStateException("got a start of running " + name() + " (expected: stopped)");
    }
    // One that has ended by itself: nothing may signal its process id from now on.
    stopThrottling();
    clearProcess();
    home.resolve("tmp").toFile().mkdirs();
    CompletableFuture<String> start = new CompletableFuture<>();
    ChildJvm jvm =
        ChildJvm.start(
            launch.command(spec, home, ports),
            errorFile(home),
            line -> {
              if (line.startsWith("started ")) {
                start.complete(line);
              }
            });
    jvm.exitCode()
        .thenAccept(status ->
            start.completeExceptionally(
                StartFailureDiagnosis.diagnose(spec, home, "ended with status " + status)));
    child = jvm;
    signals = new SignalSender(jvm.pid());
    started = start;
  }

  /** Waits until the launched node accepts requests. */
  void awaitStarted() {
    CompletableFuture<String> start;
    synchronized (this) {
      start = started;
    }
    try {
      start.get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof NodeStartException failure
          ? failure
          : new CompletionException(e.getCause());
    } catch (TimeoutException e) {
      String event = "had not started after " + START_TIMEOUT.toSeconds() + " s";
      throw StartFailureDiagnosis.diagnose(spec, home, event);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + name() + " started", e);
    }
  }

  /**
   * Starts it again on the same ports, and waits until it accepts requests; it may not have joined
   * its cluster yet.
   */
  public void start() {
    launch();
    awaitStarted();
  }

  /**
   * Like {@link #start}, with the lowest priority until it accepts requests: nearly as on a machine
   * of its own, its start takes hardly any CPU time that others need.
   *
   * @throws IOException if priorities can't be changed here
   */
  public void startAtLowPriority() throws IOException, InterruptedException {
    if (!ProcessPriority.canRestore()) {
      throw new IOException("a lowered priority can't be restored here; only root may");
    }
    launch();
    ProcessPriority.lower(pid());
    awaitStarted();
    ProcessPriority.restoreAllButCompilers(pid());
  }

  /** Stops it in order (SIGTERM), and kills it after a timeout. */
  public void stop() {
    stop(STOP_TIMEOUT);
  }

  synchronized void stop(Duration timeout) {
    if (child != null) {
      resume();
      disturbed = true;
      child.stop(timeout);
      clearProcess();
    }
  }

  /** Kills it (SIGKILL), without flushing or closing connections in order. */
  public synchronized void kill() {
    if (child != null) {
      stopThrottling();
      disturbed = true;
      child.kill();
      clearProcess();
    }
  }

  /** Stops it in order and starts it again. */
  public void restart() {
    stop();
    start();
  }

  /** Stops it in order and starts it again with a changed specification, such as other plugins. */
  public void restart(UnaryOperator<NodeSpec> change) {
    NodeSpec changed = changed(change);
    stop();
    spec = changed;
    start();
  }

  /** Kills it (SIGKILL) and starts it again with a changed specification. */
  public void killAndRestart(UnaryOperator<NodeSpec> change) {
    NodeSpec changed = changed(change);
    kill();
    spec = changed;
    start();
  }

  private NodeSpec changed(UnaryOperator<NodeSpec> change) {
    NodeSpec changed = change.apply(spec);
    if (!changed.name().equals(spec.name())) {
      throw new IllegalArgumentException(
          "got name " + changed.name() + " (expected: " + spec.name() + ")");
    }
    return changed;
  }

  /**
   * Freezes it (SIGSTOP): its connections stay open without responses, until it is {@link #resume
   * resumed}.
   */
  public synchronized void freeze() {
    requireRunning();
    stopThrottling();
    disturbed = true;
    signals().stop();
  }

  /**
   * Slows it down until it is {@link #resume resumed}: it is suspended for a share of each period.
   *
   * @param period the length of a cycle, such as 50 ms
   * @param stoppedShare over 0 and below 1, such as 0.8
   */
  public synchronized void throttle(Duration period, double stoppedShare) {
    requireRunning();
    stopThrottling();
    disturbed = true;
    throttle = new ProcessThrottle(signals(), period, stoppedShare);
  }

  /** Resumes a frozen or slowed node. */
  public synchronized void resume() {
    stopThrottling();
    if (isAlive()) {
      signals().resume();
    }
  }

  /**
   * Resumes it, and starts it if it does not run. Does not wait until it has joined its cluster.
   *
   * @return whether it was disturbed since the last call
   */
  boolean restore() {
    boolean wasDisturbed;
    synchronized (this) {
      wasDisturbed = disturbed;
      disturbed = false;
      resume();
    }
    if (wasDisturbed && !isAlive()) {
      start();
    }
    return wasDisturbed;
  }

  private void stopThrottling() {
    if (throttle != null) {
      throttle.close();
      throttle = null;
    }
  }

  private void clearProcess() {
    if (signals != null) {
      signals.close();
    }
    signals = null;
    child = null;
  }

  private ChildJvm requireRunning() {
    if (child == null || !child.isAlive()) {
      throw new IllegalStateException("got a stopped " + name() + " (expected: running)");
    }
    return child;
  }

  private SignalSender signals() {
    if (signals == null) {
      throw new IllegalStateException("got a stopped " + name() + " (expected: running)");
    }
    return signals;
  }

  @Override
  public String toString() {
    return name() + " (REST " + httpUri() + ", transport " + transportAddress() + ")";
  }
}
