package dev.weir.gateway;

import dev.weir.config.load.LoadResult;
import dev.weir.config.policy.AdminPolicy;
import dev.weir.gateway.command.ExitStatus;
import dev.weir.gateway.logging.LoggingConfigurator;
import dev.weir.gateway.process.HangupSignal;
import dev.weir.gateway.process.SystemdNotifier;
import dev.weir.gateway.reload.PolicyFileWatcher;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one gateway as a process: starts it, waits for a signal to stop, drains it. */
final class GatewayProcess {
  private static final Logger LOGGER = LoggerFactory.getLogger(GatewayProcess.class);
  private static final Duration LISTEN_POLL_INTERVAL = Duration.ofMillis(20);

  private final LoadResult.Loaded loaded;
  private final PolicyFileWatcher fileWatcher;
  private final CountDownLatch stopRequested = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);

  /**
   * Creates a process that has not started.
   *
   * @param watcher has loaded the configuration, and has not started to poll
   */
  GatewayProcess(LoadResult.Loaded loaded, PolicyFileWatcher watcher) {
    this.loaded = loaded;
    this.fileWatcher = watcher;
  }

  /**
   * Runs until SIGTERM, SIGINT or, optionally, the end of standard input. SIGHUP reloads the
   * configuration.
   *
   * @return the exit status
   */
  int run(boolean untilStdinCloses) {
    LoggingConfigurator.apply(loaded.policy().observability());
    Gateway gateway;
    try {
      gateway = Gateway.start(loaded, OpenSearchRegistries.create());
    } catch (IOException e) {
      LOGGER.error("{}", e.getMessage());
      LoggingConfigurator.stop();
      return ExitStatus.FAILED;
    }
    Thread signal = new Thread(this::stopOnSignal, "weir-signal");
    Runtime.getRuntime().addShutdownHook(signal);
    if (untilStdinCloses) {
      Thread.ofVirtual().name("weir-stdin").start(this::awaitEndOfInput);
    }
    fileWatcher.start(gateway::reload);
    boolean handlesHangup = HangupSignal.install(fileWatcher::reload);
    LOGGER.info(
        "the gateway checks {} for changes twice a second{}",
        fileWatcher.file(),
        handlesHangup ? ", and reloads it at SIGHUP" : "; it ignores SIGHUP here");
    SystemdNotifier supervisor = createNotifier(gateway);
    awaitUninterruptibly(stopRequested);
    AdminPolicy admin = gateway.activePolicy().state().policy().admin();
    supervisor.notifyStopping(admin.drainDelay().plus(admin.drainTimeout()));
    fileWatcher.close();
    gateway.drain(admin.drainTimeout());
    supervisor.close();
    gateway.close();
    LOGGER.info("stopped");
    LoggingConfigurator.stop();
    stopped.countDown();
    return ExitStatus.OK;
  }

  /**
   * Reports readiness when the REST port is open: a start succeeds without the cluster. On a shared
   * port the gateway opens the port, and so reports readiness, only once it knows the cluster.
   */
  private static SystemdNotifier createNotifier(Gateway gateway) {
    SystemdNotifier supervisor =
        SystemdNotifier.create(System.getenv(), gateway.sharedServices().resources().eventLoops());
    CompletionStage<?> firstView =
        gateway.clusters().defaultCluster().connection().nodes().follower().firstView();
    if (gateway.notListeningReason() == null) {
      supervisor.notifyReady("listening; the cluster is not known yet");
      firstView.thenRun(() -> supervisor.notifyStatus("serving"));
    } else {
      supervisor.notifyStatus("not listening yet: the port is shared");
      Thread.ofVirtual()
          .name("weir-ready")
          .start(() -> {
            while (gateway.notListeningReason() != null && !gateway.isDraining()) {
              LockSupport.parkNanos(LISTEN_POLL_INTERVAL.toNanos());
            }
            if (gateway.notListeningReason() == null) {
              supervisor.notifyReady("serving");
            }
          });
    }
    return supervisor;
  }

  /** The JVM waits for this thread before it ends; a clean stop ends it with status 0. */
  private void stopOnSignal() {
    if (stopRequested.getCount() == 0) {
      return;
    }
    stopRequested.countDown();
    awaitUninterruptibly(stopped);
    Runtime.getRuntime().halt(ExitStatus.OK);
  }

  private void awaitEndOfInput() {
    try {
      InputStream input = System.in;
      while (input.read() >= 0) {
        // the content is ignored
      }
    } catch (IOException e) {
      LOGGER.debug("standard input failed", e);
    }
    stopRequested.countDown();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        latch.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
