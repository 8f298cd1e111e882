package dev.weir.gateway;

import dev.weir.config.policy.AdminPolicy;
import dev.weir.gateway.network.ClientListener;
import dev.weir.http.HttpServer;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains the gateway, at the request of an operator or before the process ends, and brings it back.
 * Safe on any thread; a method that blocks says so.
 */
final class DrainController {
  private static final Logger LOGGER = LoggerFactory.getLogger(DrainController.class);

  private final HttpServer server;
  private final ClientListener listener;
  private final Supplier<AdminPolicy> policy;
  private final Consumer<String> eventListener;

  /** Rises with each start and each end, so that a delayed drain notices that it was ended. */
  private int generation;

  /** When the delay of the first drain ends, by {@link System#nanoTime()}. */
  private long delayEndNanos;

  private volatile State state = State.SERVING;

  /** Legal moves: SERVING to DRAINING and back; both to STOPPING, which is final. */
  private enum State {
    SERVING,
    DRAINING,
    STOPPING
  }

  /**
   * Creates it serving.
   *
   * @param eventListener gets the start and the end of each drain in words; must not block
   */
  DrainController(
      HttpServer server,
      ClientListener listener,
      Supplier<AdminPolicy> policy,
      Consumer<String> eventListener) {
    this.server = server;
    this.listener = listener;
    this.policy = policy;
    this.eventListener = eventListener;
  }

  /** Returns whether the gateway asks its clients to go elsewhere. */
  boolean isDraining() {
    return state != State.SERVING;
  }

  /**
   * Reports that the gateway is not ready, and drains it in the background. Does nothing while it
   * drains already.
   */
  synchronized void start() {
    if (state == State.SERVING) {
      startDelay();
      state = State.DRAINING;
      int own = ++generation;
      LOGGER.info("draining: requested on the admin port; POST /undrain ends it");
      eventListener.accept("draining: requested on the admin port");
      Thread.ofVirtual().name("weir-drain").start(() -> drainAfterDelay(own));
    }
  }

  private void drainAfterDelay(int own) {
    awaitDelay(own);
    synchronized (this) {
      if (own == generation) {
        server.drain(policy.get().drainTimeout());
      }
    }
  }

  /**
   * Ends a drain that {@link #start} began: the gateway accepts connections again and reports that
   * it is ready. Blocks while the operating system binds the port.
   *
   * @return false when the gateway stops, so that it can't come back
   * @throws IOException when the port can't be opened; the gateway then drains on, with the whole
   *     drain timeout
   */
  synchronized boolean resume() throws IOException {
    if (state == State.DRAINING) {
      generation++;
      try {
        listener.resume();
      } catch (IOException e) {
        server.drain(policy.get().drainTimeout()); // the listener ended the drain before it failed
        throw e;
      }
      state = State.SERVING;
      LOGGER.info("serving again: the drain was ended on the admin port");
      eventListener.accept("serving again: the drain was ended on the admin port");
    }
    return state == State.SERVING;
  }

  /**
   * Drains before the process ends. Blocks for the drain delay, or for what is left of it if the
   * gateway drains already, and until no request is in flight or the deadline is over.
   */
  void stop(Duration deadline) {
    int own;
    synchronized (this) {
      if (state == State.SERVING) {
        startDelay();
        eventListener.accept("draining: the process is to end");
      }
      state = State.STOPPING;
      own = ++generation;
    }
    awaitDelay(own);
    server.drain(deadline).toCompletableFuture().join();
  }

  /** Reports from now on that the gateway is not ready. */
  synchronized void close() {
    state = State.STOPPING;
    generation++;
  }

  private synchronized void startDelay() {
    delayEndNanos = System.nanoTime() + policy.get().drainDelay().toNanos();
  }

  /** Load balancers notice meanwhile that the gateway is not ready. */
  private void awaitDelay(int own) {
    long leftNanos;
    synchronized (this) {
      if (own != generation) {
        return;
      }
      listener.stopAccepting();
      leftNanos = delayEndNanos - System.nanoTime();
    }
    try {
      Thread.sleep(Duration.ofNanos(Math.max(0, leftNanos)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
