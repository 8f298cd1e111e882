package dev.weir.bench.secured;

import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Bulks into an index of many shards through the gateway: to all shards, and each to a single
 * shard. What single-shard bulks gain on a secured cluster must be what they gain on an open one.
 */
final class SingleShardBulkComparison {
  /** The gateway sends bulks to indices with this prefix to a single shard each. */
  static final String SINGLE_SHARD_INDEX = "drafts-single-shard";

  private static final String PLAIN_INDEX = "drafts-plain";
  private static final double MIN_OF_OPEN = 0.9;

  /** The number of different bodies, so that consecutive bulks differ. */
  private static final int BODIES = 16;

  private final PrintStream out;
  private final ResultChecks checks;
  private final RoundPlan plan;
  private final int shards;
  private final int documents;
  private final List<String> bodies;

  /**
   * Creates a comparison.
   *
   * @param shards of each index, with one replica
   * @param documents in a bulk, of about 1 KB each
   */
  SingleShardBulkComparison(
      PrintStream out, ResultChecks checks, RoundPlan plan, int shards, int documents) {
    this.out = out;
    this.checks = checks;
    this.plan = plan;
    this.shards = shards;
    this.documents = documents;
    Random random = new Random(documents);
    this.bodies = IntStream.range(0, BODIES).mapToObj(_ -> body(random)).toList();
  }

  private String body(Random random) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < documents; i++) {
      lines.append("{\"index\":{}}\n").append(Workload.generateDocument(random, i)).append('\n');
    }
    return lines.toString();
  }

  /** Measures one cluster after the other; on each, both kinds of bulks take turns. */
  void run(MeasuredCluster secured, MeasuredCluster open) throws IOException {
    double gain = gain(secured);
    double openGain = gain(open);
    out.printf(
        "bulks of %d into %d shards: documents/s of a single-shard bulk's, beside a plain one's:"
            + " %.2f secured, %.2f open%n",
        documents, shards, gain, openGain);
    checks.checkAtLeast(
        "single-shard bulks, secured",
        "documents/s gained, of an open cluster's",
        gain / openGain,
        MIN_OF_OPEN);
  }

  private double gain(MeasuredCluster cluster) throws IOException {
    List<String> indices = List.of(PLAIN_INDEX, SINGLE_SHARD_INDEX);
    indices.forEach(index -> create(cluster, index));
    try {
      AuthenticatedLoad.Server weir = cluster.weir(cluster.writer());
      AuthenticatedLoad.Result plain = AuthenticatedLoad.Result.none();
      AuthenticatedLoad.Result single = AuthenticatedLoad.Result.none();
      // Each round writes to a new index, so that a long warm-up fills no disk.
      new WarmUp(out, plan.seconds(), plan.maxWarmUp())
          .run(
              "bulks, " + cluster.name(),
              indices,
              (i, seconds) -> {
                double micros = load(indices.get(i)).run(weir, plan.clients(), seconds).cpuMicros();
                delete(cluster, indices.get(i));
                create(cluster, indices.get(i));
                return micros;
              });
      for (int round = 0; round < plan.rounds(); round++) {
        plain = plain.plus(load(PLAIN_INDEX).run(weir, plan.clients(), plan.seconds()));
        single = single.plus(load(SINGLE_SHARD_INDEX).run(weir, plan.clients(), plan.seconds()));
      }
      print(weir, PLAIN_INDEX, plain);
      print(weir, SINGLE_SHARD_INDEX, single);
      checks.checkAtMost(
          "bulks, " + cluster.name(), "failed", (double) plain.failed() + single.failed(), 0);
      return single.requestsPerSecond() / plain.requestsPerSecond();
    } finally {
      indices.forEach(index -> delete(cluster, index));
    }
  }

  private static void delete(MeasuredCluster cluster, String index) {
    cluster.nodes().rest().send("DELETE", "/" + index);
  }

  private AuthenticatedLoad load(String index) {
    return new AuthenticatedLoad(
        index, "/" + index + "/_bulk", number -> bodies.get((int) (number % BODIES)));
  }

  private void create(MeasuredCluster cluster, String index) {
    String settings =
        "{\"settings\":{\"number_of_shards\":%d,\"number_of_replicas\":%d,\"refresh_interval\":\"-1\"}}"
            .formatted(shards, cluster.nodes().nodes().size() > 2 ? 1 : 0);
    cluster
        .nodes()
        .rest()
        .send("PUT", "/" + index + "?wait_for_active_shards=all", settings)
        .orThrow();
  }

  private void print(
      AuthenticatedLoad.Server server, String index, AuthenticatedLoad.Result result) {
    out.printf(
        "%-20s %-14s %8.0f documents/s  p50 %6.1f ms  p99 %6.1f ms  %9.1f CPU-us a bulk%n",
        index,
        server.name(),
        result.requestsPerSecond() * documents,
        result.millis(50),
        result.millis(99),
        result.cpuMicros());
  }
}
