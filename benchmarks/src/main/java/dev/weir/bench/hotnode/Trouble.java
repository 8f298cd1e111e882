package dev.weir.bench.hotnode;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import java.time.Duration;
import java.util.List;

/**
 * What is wrong with one node during a run.
 *
 * @param name for the table and the command line
 * @param begins makes it so; what it returns ends it
 */
record Trouble(String name, Begins begins) {
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
  interface Begins {
    /**
     * Makes it so.
     *
     * @param node the node
     * @param run how long the whole run will take
     */
    End on(DataNode node, Duration run);
  }

  /** Ends it. */
  interface End extends AutoCloseable {
    @Override
    void close();
  }

  static final Trouble NONE = new Trouble("healthy", (node, run) -> () -> {});

  /** Stands still for 40 ms of every 50. */
  static final Trouble STOPPED = new Trouble("stopped", (node, run) -> slow(node, LONG_PERIOD, .8));

  /** Takes four times as long: stands still for 6 ms of every 8. */
  static final Trouble SLOWED = new Trouble("slowed", (node, run) -> slow(node, SHORT_PERIOD, .75));

  /** Stands still for 1.2 s and 1.8 s in turn, and runs for some seconds between. */
  static final Trouble PAUSING = new Trouble("pausing", (node, run) -> pausing(node));

  /** Answers every search with an error, at once. */
  static final Trouble FAILING =
      new Trouble(
          "failing",
          (node, run) -> {
            searches(node, "fail");
            return () -> searches(node, "pass");
          });

  /** Is stopped as in {@link #STOPPED} for the first half of the run, and well after it. */
  static final Trouble RECOVERING =
      new Trouble("recovering", (node, run) -> recovering(node, run.dividedBy(2)));

  static final List<Trouble> ALL = List.of(NONE, STOPPED, SLOWED, PAUSING, FAILING, RECOVERING);

  private static End slow(DataNode node, Duration period, double stopped) {
    node.slow(period, stopped);
    return node::resume;
  }

  private static End pausing(DataNode node) {
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

  private static End recovering(DataNode node, Duration after) {
    node.slow(LONG_PERIOD, .8);
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
    try (RestClient rest = new RestClient(node.http())) {
      rest.send("PUT", "/_weir_faults?searches=" + what).orThrow();
    }
  }
}
