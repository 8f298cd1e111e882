package dev.weir.bench.batches;

import dev.weir.bench.ClosedLoopLoad;
import dev.weir.bench.GatewayCounts;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.Workload;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** A gateway in front of a cluster of its own. Confined to one thread. */
final class MeasuredSearches implements AutoCloseable {
  private static final Pattern ANSWERED = Pattern.compile("\"plugin_version\"");
  private static final int MAX_CHECKS = 300;

  private final String name;
  private final DataNodeCluster cluster;
  private final MeasuredGateway gateway;
  private final GatewayCounts counts;

  private MeasuredSearches(String name, DataNodeCluster cluster, MeasuredGateway gateway) {
    this.name = name;
    this.cluster = cluster;
    this.gateway = gateway;
    this.counts = new GatewayCounts(gateway);
  }

  /** Starts a gateway; blocks until it is ready. */
  static MeasuredSearches start(String name, DataNodeCluster cluster) throws IOException {
    return new MeasuredSearches(name, cluster, MeasuredGateway.start(cluster.seeds()));
  }

  String name() {
    return name;
  }

  /** Waits until the gateway knows of all nodes that they have a capability, or have not. */
  void awaitCapabilities(String capability, boolean expected) {
    Pattern announced = Pattern.compile('"' + capability + '"');
    for (int i = 0; i < MAX_CHECKS; i++) {
      String stats = counts.stats();
      int nodes = cluster.nodes().size();
      if (count(ANSWERED, stats) == nodes && count(announced, stats) == (expected ? nodes : 0)) {
        return;
      }
      sleep();
    }
    throw new IllegalStateException(
        "the nodes of " + name + " did not answer what they can do: " + counts.stats());
  }

  private static void sleep() {
    try {
      TimeUnit.MILLISECONDS.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static long count(Pattern pattern, String text) {
    return pattern.matcher(text).results().count();
  }

  private long nodeNanos() {
    return cluster.nodes().stream()
        .mapToLong(node -> ProcessUsage.read(node.pid()).cpuNanos())
        .sum();
  }

  /** Searches for a time. Messages that the gateway sends anyway do not count. Blocks. */
  SearchCosts run(Workload workload, int clients, double seconds) {
    SearchCosts[] costs = {SearchCosts.NONE};
    double messages = counts.messagesOf(() -> costs[0] = measure(workload, clients, seconds));
    return costs[0].withMessages(messages);
  }

  private SearchCosts measure(Workload workload, int clients, double seconds) {
    long gatewayBefore = ProcessUsage.read(gateway.pid()).cpuNanos();
    long nodesBefore = nodeNanos();
    ClosedLoopLoad.Result result =
        ClosedLoopLoad.run(gateway.address(), workload, clients, seconds);
    long gatewayNanos = ProcessUsage.read(gateway.pid()).cpuNanos() - gatewayBefore;
    return SearchCosts.of(result, 0, gatewayNanos, nodeNanos() - nodesBefore);
  }

  @Override
  public void close() {
    counts.close();
    gateway.close();
  }
}
