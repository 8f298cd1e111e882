package dev.weir.it.faults;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Freezes a node for random moments, and closes connections of fetching coordinators, until it is
 * closed.
 */
final class FlakyNode implements AutoCloseable {
  private static final int LONGEST_MILLIS = 150;

  private final DataNode node;
  private final boolean cutting;
  private final SplittableRandom random;
  private final RestClient rest;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile @Nullable RuntimeException failure;

  private FlakyNode(DataNode node, boolean cutting, SplittableRandom random) {
    this.node = node;
    this.cutting = cutting;
    this.random = random;
    this.rest = new RestClient(node.httpUri());
    this.thread = Thread.ofVirtual().unstarted(this::run);
  }

  /**
   * Starts the faults.
   *
   * @param cutting whether it closes connections too; the node then needs the fault plugin
   */
  static FlakyNode start(DataNode node, boolean cutting, SplittableRandom random) {
    FlakyNode flaky = new FlakyNode(node, cutting, random);
    flaky.thread.start();
    return flaky;
  }

  private void run() {
    try {
      shake();
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  /** Fails if a fault could not be injected. */
  void assertRunning() {
    if (failure != null) {
      throw new AssertionError("cannot make " + node + " fail", failure);
    }
  }

  private void shake() {
    while (!stopping) {
      if (cutting && random.nextBoolean()) {
        rest.send("PUT", "/_weir_faults?fetches=close-connection").orThrow();
        pause();
        rest.send("PUT", "/_weir_faults?fetches=pass").orThrow();
      } else {
        node.freeze();
        pause();
        node.resume();
      }
      pause();
    }
  }

  private void pause() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1, LONGEST_MILLIS)));
  }

  /** Ends the faults and restores the node. */
  @Override
  public void close() {
    stopping = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    node.resume();
    rest.send("PUT", "/_weir_faults?fetches=pass").orThrow();
    rest.close();
  }
}
