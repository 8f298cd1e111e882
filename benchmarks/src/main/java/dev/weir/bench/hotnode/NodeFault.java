package dev.weir.bench.hotnode;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import java.time.Duration;
import java.util.List;

/**
 * What is wrong with one node during a run.
 *
 * @param name for the table and the command line
 * @param injector makes it so; what it returns ends it
 */
record NodeFault(String name, Injector injector) {
  private static final Duration LONG_PERIOD = Duration.ofMillis(50);
  private static final Duration SHORT_PERIOD = Duration.ofMillis(8);

  /** For how long the pausing node runs, stands, runs, stands, in turn. */
  private static final List<Duration> PAUSES =
      List.of(
          Duration.ofMillis(1500),
          Duration.ofMillis(1200),
          Duration.ofMillis(3000),
          Duration.ofMillis(1800));

  /** Makes it so. */
  interface Injector {
    /**
     * Makes it so.
     *
     * @param node the node
     * @param run how long the whole run will take
     */
    ActiveFault inject(DataNode node, Duration run);
  }

  /** Ends it. */
  interface ActiveFault extends AutoCloseable {
    @Override
    void close();
  }

  static final NodeFault NONE = new NodeFault("healthy", (node, run) -> () -> {});

  /** Stands still for 40 ms of every 50. */
  static final NodeFault STOPPED =
      new NodeFault("stopped", (node, run) -> slow(node, LONG_PERIOD, .8));

  /** Takes four times as long: stands still for 6 ms of every 8. */
  static final NodeFault SLOWED =
      new NodeFault("slowed", (node, run) -> slow(node, SHORT_PERIOD, .75));

  /** Stands still for 1.2 s and 1.8 s in turn, and runs for some seconds between. */
  static final NodeFault PAUSING = new NodeFault("pausing", (node, run) -> pausing(node));

  /** Answers every search with an error, at once. */
  static final NodeFault FAILING =
      new NodeFault(
          "failing",
          (node, run) -> {
            searches(node, "fail");
            return () -> searches(node, "pass");
          });

  /** Is stopped as in {@link #STOPPED} for the first half of the run, and well after it. */
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
              } catch (InterruptedException over) {
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
              } catch (InterruptedException over) {
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
