package dev.weir.bench.secured;

import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.testkit.DataNode;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Searches while one of three data nodes is stopped for 40 ms of every 50 ms, through the node that
 * only coordinates and through the gateway. What the gateway gains on a secured cluster must be
 * what it gains on an open one.
 */
final class StoppedNodeComparison {
  private static final Duration PERIOD = Duration.ofMillis(50);
  private static final double STOPPED_RATIO = 0.8;
  private static final double SETTLE_SECONDS = 2;

  /** Not the cluster manager, which is the first node. */
  private static final int STOPPED_NODE = 2;

  private static final double MIN_OF_OPEN = 0.9;
  private static final double MAX_P99 = 0.6;

  private static final AuthenticatedLoad LOAD =
      new AuthenticatedLoad(
          "stopped node",
          "/orders-2027-01/_search",
          number ->
              "{\"size\":10,\"query\":{\"range\":{\"amount\":{\"gte\":%d}}}}"
                  .formatted(number % 100));

  private final PrintStream out;
  private final ResultChecks checks;
  private final RoundPlan plan;

  StoppedNodeComparison(PrintStream out, ResultChecks checks, RoundPlan plan) {
    this.out = out;
    this.checks = checks;
    this.plan = plan;
  }

  /**
   * Measures both clusters, round by round in turn.
   *
   * @param secured and {@code open}: with three data nodes each
   */
  void run(MeasuredCluster secured, MeasuredCluster open) throws IOException {
    List<AuthenticatedLoad.Server> all =
        Stream.of(secured, open).flatMap(cluster -> paths(cluster).stream()).toList();
    // Only throughput and latency are compared, but a path that still compiles takes both from the
    // nodes beside it. No node is stopped before all are warm.
    new WarmUp(out, plan.seconds(), plan.maxWarmUp())
        .run(
            LOAD.name() + ", not yet stopped",
            all.stream().map(AuthenticatedLoad.Server::name).toList(),
            (i, seconds) -> LOAD.run(all.get(i), plan.clients(), seconds).cpuMicros());
    Map<AuthenticatedLoad.Server, AuthenticatedLoad.Result> results = new LinkedHashMap<>();
    all.forEach(server -> results.put(server, AuthenticatedLoad.Result.none()));
    for (int round = 0; round < plan.rounds(); round++) {
      for (MeasuredCluster cluster : List.of(secured, open)) {
        paths(cluster)
            .forEach(server ->
                results.merge(server, runRound(cluster, server), AuthenticatedLoad.Result::plus));
      }
    }
    results.forEach(this::print);
    double gain = gain(results, secured);
    double openGain = gain(results, open);
    out.printf(
        "stopped node: requests/s of a coordinating node's: %.2f secured, %.2f open%n",
        gain, openGain);
    checks.checkAtLeast(
        "stopped node, secured",
        "requests/s gained, of an open cluster's",
        gain / openGain,
        MIN_OF_OPEN);
    checks.checkAtMost(
        "stopped node, secured",
        "p99, of a coordinating node's",
        of(results, secured.weir(secured.reader())).millis(99)
            / of(results, secured.node(secured.reader())).millis(99),
        MAX_P99);
    long failed = results.values().stream().mapToLong(AuthenticatedLoad.Result::failed).sum();
    checks.checkAtMost("stopped node", "failed searches", (double) failed, 0);
  }

  private static List<AuthenticatedLoad.Server> paths(MeasuredCluster cluster) {
    return List.of(cluster.node(cluster.reader()), cluster.weir(cluster.reader()));
  }

  private AuthenticatedLoad.Result runRound(
      MeasuredCluster cluster, AuthenticatedLoad.Server server) {
    DataNode stopped = cluster.nodes().node(STOPPED_NODE);
    stopped.throttle(PERIOD, STOPPED_RATIO);
    try {
      LOAD.run(server, plan.clients(), SETTLE_SECONDS);
      return LOAD.run(server, plan.clients(), plan.seconds());
    } finally {
      stopped.resume();
    }
  }

  private static double gain(
      Map<AuthenticatedLoad.Server, AuthenticatedLoad.Result> results, MeasuredCluster cluster) {
    return of(results, cluster.weir(cluster.reader())).requestsPerSecond()
        / of(results, cluster.node(cluster.reader())).requestsPerSecond();
  }

  private static AuthenticatedLoad.Result of(
      Map<AuthenticatedLoad.Server, AuthenticatedLoad.Result> results,
      AuthenticatedLoad.Server server) {
    AuthenticatedLoad.Result result = results.get(server);
    return result == null ? AuthenticatedLoad.Result.none() : result;
  }

  private void print(AuthenticatedLoad.Server server, AuthenticatedLoad.Result result) {
    out.printf(
        "%-14s %-16s %7.0f requests/s  p50 %6.1f ms  p90 %6.1f ms  p99 %6.1f ms %6d failed%n",
        LOAD.name(),
        server.name(),
        result.requestsPerSecond(),
        result.millis(50),
        result.millis(90),
        result.millis(99),
        result.failed());
  }
}
