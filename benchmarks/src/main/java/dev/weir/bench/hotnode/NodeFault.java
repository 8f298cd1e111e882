package dev.weir.bench.hotnode;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import java.time.Duration;
import java.util.List;

/**
 * A fault of one node during a run.
 *
 * @param name for the table and the command line
 * @param injector injects the fault
 */
record NodeFault(String name, Injector injector) {
  private static final Duration LONG_PERIOD = Duration.ofMillis(50);
  private static final Duration SHORT_PERIOD = Duration.ofMillis(8);

  /** The phases of a pausing node in turn: runs, is stopped, runs, is stopped. */
  private static final List<Duration> PAUSES =
      List.of(
          Duration.ofMillis(1500),
          Duration.ofMillis(1200),
          Duration.ofMillis(3000),
          Duration.ofMillis(1800));

  /** Injects a fault. */
  interface Injector {
    /**
     * Injects the fault.
     *
     * @param node the node to affect
     * @param run the length of the whole run
     * @return ends the fault when it is closed
     */
    ActiveFault inject(DataNode node, Duration run);
  }

  /** A fault in effect; closing it ends it. */
  interface ActiveFault extends AutoCloseable {
    @Override
    void close();
  }

  static final NodeFault NONE = new NodeFault("healthy", (node, run) -> () -> {});

  /** Stopped for 40 ms of every 50 ms. */
  static final NodeFault STOPPED =
      new NodeFault("stopped", (node, run) -> slow(node, LONG_PERIOD, .8));

  /** Slowed to a quarter of its speed: stopped for 6 ms of every 8 ms. */
  static final NodeFault SLOWED =
      new NodeFault("slowed", (node, run) -> slow(node, SHORT_PERIOD, .75));

  /** Stopped for 1.2 s and 1.8 s in turn, with some seconds between. */
  static final NodeFault PAUSING = new NodeFault("pausing", (node, run) -> pausing(node));

  /** Responds to every search with an error at once. */
  static final NodeFault FAILING =
      new NodeFault(
          "failing",
          (node, run) -> {
            searches(node, "fail");
            return () -> searches(node, "pass");
          });

  /** Stopped as in {@link #STOPPED} for the first half of the run, and healthy afterwards. */
  static final NodeFault RECOVERING =
      new NodeFault("recovering", (node, run) -> recovering(node, run.dividedBy(2)));

  static final List<NodeFault> ALL = List.of(NONE, STOPPED, SLOWED, PAUSING, FAILING, RECOVERING);

  private static ActiveFault slow(DataNode node, Duration period, double stopped) {
    node.throttle(period, stopped);
    return node::resume;
  }

  private static ActiveFault pausing(DataNode node) {
    Thread pauser =
        Thread.ofVirtual()
            .start(() -> {
              try {
                for (int i = 0; ; i = (i + 2) % PAUSES.size()) {
                  Thread.sleep(PAUSES.get(i));
                  node.freeze();
                  Thread.sleep(PAUSES.get(i + 1));
                  node.resume();
                }
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              }
            });
    return () -> endOf(pauser, node);
  }

  private static ActiveFault recovering(DataNode node, Duration after) {
    node.throttle(LONG_PERIOD, .8);
    Thread healer =
        Thread.ofVirtual()
            .start(() -> {
              try {
                Thread.sleep(after);
                node.resume();
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              }
            });
    return () -> endOf(healer, node);
  }

  private static void endOf(Thread thread, DataNode node) {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    node.resume();
  }

  private static void searches(DataNode node, String what) {
    try (RestClient rest = new RestClient(node.httpUri())) {
      rest.send("PUT", "/_weir_faults?searches=" + what).orThrow();
    }
  }
}
