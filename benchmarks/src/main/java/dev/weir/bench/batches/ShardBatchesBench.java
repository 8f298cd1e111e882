package dev.weir.bench.batches;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.Workload;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.PluginPlacement;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./weir bench shard-batches}: requests to many shards with and without batches. */
@Command(
    name = "shard-batches",
    description =
        "messages, CPU and latency of searches and bulks of many shards, with batches and without")
public final class ShardBatchesBench implements Callable<Integer> {
  /**
   * A tenth is what 30 shards on three nodes have at best; the messages that a gateway sends anyway
   * are known with this precision.
   */
  private static final double MAX_MESSAGES = 0.1005;

  private static final double MAX_GATEWAY_CPU = 0.5;
  private static final double MAX_NODE_CPU = 0.8;
  private static final double MAX_P99 = 1.0;
  private static final int CHUNK = 100;
  private static final int MAX_HEALTH_CHECKS = 60;

  @Option(
      names = "--shards",
      split = ",",
      description = "shards of the searched indices; 0 for none (default: ${DEFAULT-VALUE})")
  private List<Integer> shards = List.of(30, 300);

  @Option(names = "--documents", description = "documents of an index (default: ${DEFAULT-VALUE})")
  private int documents = 3000;

  @Option(
      names = "--bulk-shards",
      split = ",",
      description = "shards of the written indices; 0 for none (default: ${DEFAULT-VALUE})")
  private List<Integer> bulkShards = List.of(30, 120);

  @Option(names = "--bulk-documents", description = "of a bulk (default: ${DEFAULT-VALUE})")
  private int bulkDocuments = 1000;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 2;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 5;

  @Option(names = "--rounds", description = "rounds, alternately (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(
      names = "--warm-up",
      description =
          "seconds of load before, for each index and cluster (default: ${DEFAULT-VALUE})")
  private double warmUp = 20;

  @Option(names = "--heap", description = "heap of a data node (default: ${DEFAULT-VALUE})")
  private String heap = "1g";

  private final PrintStream out = System.out;
  private final BenchClusters clusters;
  private final ResultChecks checks = new ResultChecks(out);

  /** Creates the benchmark. */
  public ShardBatchesBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    try (BenchClusters.Lease with = clusters.lease(spec("weir-bench-batches", true));
        BenchClusters.Lease without = clusters.lease(spec("weir-bench-no-batches", false));
        MeasuredSearches batched = MeasuredSearches.start("batches", with.cluster());
        MeasuredSearches single = MeasuredSearches.start("single messages", without.cluster())) {
      shards = shards.stream().filter(count -> count > 0).toList();
      for (int count : shards) {
        load(with.cluster(), count);
        load(without.cluster(), count);
      }
      batched.awaitCapabilities("shard-batches", true);
      batched.awaitCapabilities("partial-aggregations", true);
      single.awaitCapabilities("shard-batches", false);
      for (int count : shards) {
        compare(workload(count), batched, single);
        compare(aggregations(count), batched, single);
      }
      BulkComparison bulks =
          new BulkComparison(
              out,
              checks,
              bulkDocuments,
              new BulkComparison.Rounds(clients, seconds, rounds, warmUp));
      batched.awaitCapabilities("bulk-batches", true);
      for (int count : bulkShards) {
        if (count > 0) {
          bulks.run(count, batched, with.cluster(), single, without.cluster());
        }
      }
    }
    checks.print();
    return checks.exitCode();
  }

  private ClusterSpec spec(String name, boolean hasPlugin) {
    return ClusterSpec.ofNodes(3, PluginPlacement.ALL)
        .withName(name)
        .mapNodes(node -> (hasPlugin ? node : node.withoutPlugins()).withHeap(heap))
        .withProgress(out::println);
  }

  private void load(DataNodeCluster cluster, int count) {
    RestClient rest = cluster.rest();
    String index = "/" + index(count);
    rest.send(
            "PUT",
            index + "?wait_for_active_shards=0",
            "{\"settings\":{\"number_of_shards\":"
                + count
                + ",\"number_of_replicas\":0,\"refresh_interval\":\"-1\",\"translog\":{\"durability\":"
                + "\"async\"}},\"mappings\":{\"properties\":{\"text\":{\"type\":\"text\"},\"n\":{\"type\":"
                + "\"long\"},\"group\":{\"type\":\"keyword\"}}}}")
        .orThrow();
    awaitGreen(rest, index);
    for (int from = 0; from < documents; from += CHUNK) {
      String lines =
          IntStream.range(from, Math.min(documents, from + CHUNK))
              .mapToObj(n ->
                  "{\"index\":{\"_id\":\"%d\"}}%n{\"n\":%d,\"text\":\"all and word%d\",\"group\":\"g%d\"}%n"
                      .formatted(n, n, n % 100, n % 12))
              .collect(Collectors.joining());
      rest.bulk(index + "/_bulk", lines.getBytes(StandardCharsets.UTF_8)).orThrow();
    }
    rest.send("POST", index + "/_refresh").orThrow();
    out.printf("loaded %d documents into %d shards%n", documents, count);
  }

  /** Waits until all shards have started; one request may not wait for so long. */
  private static void awaitGreen(RestClient rest, String index) {
    String path = "/_cluster/health" + index + "?wait_for_status=green&timeout=5s";
    for (int i = 0; i < MAX_HEALTH_CHECKS; i++) {
      RestReply health = rest.send("GET", path);
      if (health.status() == 200 && health.body().contains("\"status\":\"green\"")) {
        return;
      }
    }
    throw new IllegalStateException("shards of " + index + " have not started");
  }

  private static String index(int count) {
    return "batched-" + count;
  }

  /** A search of ten hits by relevance, to which all shards contribute. Nothing is cached. */
  private static Workload workload(int count) {
    return Workload.ofPost(
        count + " shards",
        "/" + index(count) + "/_search",
        n -> "{\"size\":10,\"query\":{\"match\":{\"text\":\"all word" + n % 100 + "\"}}}");
  }

  /** A search for figures alone, of documents that each shard has some of. Nothing is cached. */
  private static Workload aggregations(int count) {
    return Workload.ofPost(
        count + " shards, aggregations",
        "/" + index(count) + "/_search?request_cache=false",
        n ->
            "{\"size\":0,\"query\":{\"range\":{\"n\":{\"gte\":"
                + n % 100
                + "}}},\"aggs\":{\"groups\":{\"terms\":{\"field\":\"group\"},\"aggs\":{\"most\":{\"max\":{"
                + "\"field\":\"n\"}}}},\"parts\":{\"histogram\":{\"field\":\"n\",\"interval\":200},\"aggs\":{"
                + "\"least\":{\"min\":{\"field\":\"n\"}}}},\"count\":{\"value_count\":{\"field\":\"n\"}}}}");
  }

  private void compare(Workload workload, MeasuredSearches batched, MeasuredSearches single)
      throws IOException {
    batched.run(workload, clients, warmUp);
    single.run(workload, clients, warmUp);
    SearchCosts with = SearchCosts.NONE;
    SearchCosts without = SearchCosts.NONE;
    for (int round = 0; round < rounds; round++) {
      without = without.plus(single.run(workload, clients, seconds));
      with = with.plus(batched.run(workload, clients, seconds));
    }
    without.print(out, workload.name() + ", " + single.name());
    with.print(out, workload.name() + ", " + batched.name());
    String title = workload.name() + ", batches relative to single messages";
    checks.checkAtMost(title, "messages", with.messages() / without.messages(), MAX_MESSAGES);
    checks.checkAtMost(
        title,
        "CPU of the gateway",
        with.gatewayMicros() / without.gatewayMicros(),
        MAX_GATEWAY_CPU);
    checks.checkAtMost(
        title, "CPU of the nodes", with.nodeMicros() / without.nodeMicros(), MAX_NODE_CPU);
    checks.checkAtMost(title, "p99", with.millis(99) / without.millis(99), MAX_P99);
    checks.checkTrue(title, "all succeed", with.errors() + without.errors() == 0);
  }
}
