package dev.weir.gateway;

import dev.weir.config.load.LoadResult;
import dev.weir.config.policy.AdminPolicy;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One gateway as a process: starts it, waits for a reason to stop, stops it in good order. */
final class GatewayProcess {
  private static final Logger LOGGER = LoggerFactory.getLogger(GatewayProcess.class);
  private static final Duration LISTEN_PAUSE = Duration.ofMillis(20);

  private final LoadResult.Loaded loaded;
  private final PolicyWatch watch;
  private final CountDownLatch told = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);

  /**
   * Makes a process.
   *
   * @param watch read it, and has not started to look yet
   */
  GatewayProcess(LoadResult.Loaded loaded, PolicyWatch watch) {
    this.loaded = loaded;
    this.watch = watch;
  }

  /**
   * Runs until SIGTERM, SIGINT or, if asked for, the end of standard input. At a SIGHUP it reads
   * its configuration anew.
   *
   * @return the exit status
   */
  int run(boolean untilStdinCloses) {
    LogSetup.apply(loaded.policy().observability());
    Gateway gateway;
    try {
      gateway = Gateway.start(loaded, OpenSearchRegistries.create());
    } catch (IOException e) {
      LOGGER.error("{}", e.getMessage());
      LogSetup.stop();
      return Main.FAILED;
    }
    Thread signal = new Thread(this::stopOnSignal, "weir-signal");
    Runtime.getRuntime().addShutdownHook(signal);
    if (untilStdinCloses) {
      Thread.ofVirtual().name("weir-stdin").start(this::awaitEndOfInput);
    }
    watch.start(gateway::reload);
    boolean heard = Hangup.onEach(watch::read);
    LOGGER.info(
        "{} is looked at twice a second{}",
        watch.file(),
        heard ? ", and read anew at a SIGHUP" : "; nothing listens for SIGHUP here");
    Supervisor supervisor = supervisor(gateway);
    awaitUninterruptibly(told);
    AdminPolicy admin = gateway.inForce().state().policy().admin();
    supervisor.stopping(admin.drainDelay().plus(admin.drainTimeout()));
    watch.close();
    gateway.drain(admin.drainTimeout());
    supervisor.close();
    gateway.close();
    LOGGER.info("stopped");
    LogSetup.stop();
    stopped.countDown();
    return Main.OK;
  }

  /**
   * Ready is told when it listens: a cluster that is not there yet is no failed start, except on a
   * shared port, where nobody listens before that.
   */
  private static Supervisor supervisor(Gateway gateway) {
    Supervisor supervisor = Supervisor.of(System.getenv(), gateway.commons().loops());
    CompletionStage<?> heard = gateway.sides().first().backend().follower().first();
    if (gateway.notListening() == null) {
      supervisor.ready("listens, has not heard from the cluster yet");
      heard.thenRun(() -> supervisor.status("serves"));
    } else {
      supervisor.status("does not listen yet: the port is shared");
      Thread.ofVirtual()
          .name("weir-ready")
          .start(() -> {
            while (gateway.notListening() != null && !gateway.draining()) {
              LockSupport.parkNanos(LISTEN_PAUSE.toNanos());
            }
            if (gateway.notListening() == null) {
              supervisor.ready("serves");
            }
          });
    }
    return supervisor;
  }

  /** The JVM waits for this thread before it ends; a clean stop ends it with status 0. */
  private void stopOnSignal() {
    if (told.getCount() == 0) {
      return;
    }
    told.countDown();
    awaitUninterruptibly(stopped);
    Runtime.getRuntime().halt(Main.OK);
  }

  private void awaitEndOfInput() {
    try {
      InputStream input = System.in;
      while (input.read() >= 0) {
        // only the end counts
      }
    } catch (IOException e) {
      LOGGER.debug("standard input failed", e);
    }
    told.countDown();
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
