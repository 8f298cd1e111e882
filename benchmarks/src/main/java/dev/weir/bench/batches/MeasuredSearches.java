package dev.weir.bench.batches;

import dev.weir.bench.ClosedLoopLoad;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.Workload;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A gateway in front of a cluster of its own. Confined to one thread. */
final class MeasuredSearches implements AutoCloseable {
  /** The messages to a node, in {@code /stats}. */
  private static final Pattern SENT = Pattern.compile("\"sent_requests\" ?: ?(\\d+)");

  private static final Pattern ANSWERED = Pattern.compile("\"plugin_version\"");
  private static final int MAX_CHECKS = 300;

  /** Of 100 ms each. */
  private static final int IDLE_SLEEPS = 10;

  private final String name;
  private final DataNodeCluster cluster;
  private final MeasuredGateway gateway;
  private final RestClient admin;

  private MeasuredSearches(String name, DataNodeCluster cluster, MeasuredGateway gateway) {
    this.name = name;
    this.cluster = cluster;
    this.gateway = gateway;
    this.admin = new RestClient(URI.create("http://127.0.0.1:" + gateway.adminAddress().getPort()));
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
      String stats = stats();
      int nodes = cluster.nodes().size();
      if (count(ANSWERED, stats) == nodes && count(announced, stats) == (expected ? nodes : 0)) {
        return;
      }
      sleep();
    }
    throw new IllegalStateException(
        "the nodes of " + name + " did not answer what they can do: " + stats());
  }

  private static void sleep() {
    try {
      TimeUnit.MILLISECONDS.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private String stats() {
    return admin.send("GET", "/stats").orThrow().body();
  }

  private static long count(Pattern pattern, String text) {
    return pattern.matcher(text).results().count();
  }

  private long sentMessages() {
    return SENT.matcher(stats())
        .results()
        .map((MatchResult result) -> result.group(1))
        .mapToLong(Long::parseLong)
        .sum();
  }

  private long nodeNanos() {
    return cluster.nodes().stream()
        .mapToLong(node -> ProcessUsage.read(node.pid()).cpuNanos())
        .sum();
  }

  /** Returns how many messages the gateway sends in a second without searches. Blocks. */
  private double idleMessagesPerSecond() {
    long before = sentMessages();
    long began = System.nanoTime();
    for (int i = 0; i < IDLE_SLEEPS; i++) {
      sleep();
    }
    return (sentMessages() - before) * 1e9 / (System.nanoTime() - began);
  }

  /** Searches for a time. Messages that the gateway sends anyway do not count. Blocks. */
  SearchCosts run(Workload workload, int clients, double seconds) {
    double idle = idleMessagesPerSecond();
    long messages = sentMessages();
    long gatewayBefore = ProcessUsage.read(gateway.pid()).cpuNanos();
    long nodesBefore = nodeNanos();
    ClosedLoopLoad.Result result =
        ClosedLoopLoad.run(gateway.address(), workload, clients, seconds);
    long gatewayNanos = ProcessUsage.read(gateway.pid()).cpuNanos() - gatewayBefore;
    long nodeNanos = nodeNanos() - nodesBefore;
    double own = sentMessages() - messages - idle * result.nanos() / 1e9;
    return SearchCosts.of(result, own, gatewayNanos, nodeNanos);
  }

  @Override
  public void close() {
    admin.close();
    gateway.close();
  }
}
