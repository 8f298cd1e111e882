package dev.weir.bench.hostile;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.hostile.HostileCorpus;
import dev.weir.testkit.hostile.NeighbourSearches;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Sends searches for five million buckets to nodes of 512 MB, with the ceiling of {@code
 * request-memory.node-ceiling} and without, beside a neighbour.
 */
@Command(
    name = "oversized",
    description = "aggregations that are too large for the nodes, with and without a ceiling")
public final class OversizedSearchBench implements Callable<Integer> {
  private static final String INDEX = "oversized";
  private static final double P99_RATIO = 1.2;
  private static final int TOO_MANY_REQUESTS = 429;

  private static final String SEARCH =
      """
      {"size": 0, "aggs": {"a": {"terms": {"field": "a", "size": 10, "collect_mode": "depth_first"},
       "aggs": {"b": {"terms": {"field": "b", "size": 10}}}}}}
      """;

  @Option(
      names = "--values",
      description = "values of each of two fields; buckets are pairs (default: ${DEFAULT-VALUE})")
  private int values = 2_240;

  @Option(names = "--ceiling", description = "max-bytes (default: ${DEFAULT-VALUE})")
  private String ceiling = "24mb";

  @Option(names = "--seconds", description = "of each phase (default: ${DEFAULT-VALUE})")
  private double seconds = 30;

  @Option(
      names = "--pause",
      description = "seconds between two oversized searches (default: ${DEFAULT-VALUE})")
  private double pause = 1;

  @Option(
      names = "--no-comparison",
      description = "leaves out the same without a ceiling, which may end nodes")
  private boolean noComparison;

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BenchClusters clusters;

  public OversizedSearchBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    ClusterSpec spec =
        ClusterSpec.ofNodes(3)
            .withName("weir-bench-plugin")
            .withoutAotCache()
            .withProgress(out::println);
    try (BenchClusters.Lease lease = clusters.lease(spec);
        RestClient node = new RestClient(lease.cluster().node(0).httpUri())) {
      HostileCorpus.load(node);
      load(node);
      measure(lease, "admission: {request-memory: {node-ceiling: {max-bytes: " + ceiling + "}}}");
      if (!noComparison) {
        measure(lease, "");
      }
    }
    checks.print();
    return checks.exitCode();
  }

  private void load(RestClient node) {
    node.send(
            "PUT",
            "/" + INDEX,
            """
            {"settings": {"number_of_shards": 1, "number_of_replicas": 0},
             "mappings": {"properties": {"a": {"type": "long"}, "b": {"type": "long"}}}}
            """)
        .orThrow();
    String all =
        IntStream.range(0, values).mapToObj(String::valueOf).collect(Collectors.joining(","));
    node.bulk(
            "/" + INDEX + "/_bulk?refresh=true",
            ("{\"index\":{}}\n{\"a\":[" + all + "],\"b\":[" + all + "]}\n")
                .getBytes(StandardCharsets.UTF_8))
        .orThrow();
  }

  private void measure(BenchClusters.Lease lease, String section) throws IOException {
    boolean isBounded = !section.isEmpty();
    String title = isBounded ? "with a ceiling of " + ceiling : "without a ceiling";
    try (MeasuredGateway gateway = MeasuredGateway.start(lease.cluster().seeds(), section)) {
      watch(gateway, () -> {}); // warms up
      NeighbourSearches.Figures calm = watch(gateway, () -> {});
      Map<Integer, Integer> statuses = new TreeMap<>();
      NeighbourSearches.Figures beside = watch(gateway, () -> sendOversized(gateway, statuses));
      out.printf(
          "%s: oversized searches by status: %s; the neighbour's p50 %.1f ms (calm %.1f), p99 %.1f"
              + " ms (calm %.1f), failed %d%n",
          title,
          statuses,
          beside.millis(50),
          calm.millis(50),
          beside.millis(99),
          calm.millis(99),
          beside.failed());
      if (isBounded) {
        checks.checkAtMost(
            title,
            "the neighbour's p99, of that in calm",
            beside.millis(99) / calm.millis(99),
            P99_RATIO);
        checks.checkAtMost(title, "the neighbour's failed searches", beside.failed(), 0);
        checks.checkTrue(
            title,
            "every oversized search is refused with 429",
            statuses.keySet().equals(Set.of(TOO_MANY_REQUESTS)));
        checks.checkTrue(
            title, "the nodes live", lease.cluster().nodes().stream().allMatch(DataNode::isAlive));
      }
    }
  }

  /** Returns how a neighbour's searches went for a phase, beside other work. */
  private NeighbourSearches.Figures watch(MeasuredGateway gateway, Runnable work) {
    long end = System.nanoTime() + (long) (seconds * 1e9);
    try (NeighbourSearches neighbour = NeighbourSearches.start(gateway.address())) {
      // a thread of its own: the neighbour's client answers on the common pool
      Thread beside = Thread.ofPlatform().start(work);
      LockSupport.parkNanos(end - System.nanoTime());
      NeighbourSearches.Figures figures = neighbour.stop();
      beside.join();
      return figures;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private void sendOversized(MeasuredGateway gateway, Map<Integer, Integer> statuses) {
    URI uri = URI.create("http://127.0.0.1:" + gateway.address().getPort());
    long end = System.nanoTime() + (long) (seconds * 1e9);
    try (RestClient rest = new RestClient(uri)) {
      while (System.nanoTime() < end) {
        statuses.merge(status(rest), 1, Integer::sum);
        LockSupport.parkNanos((long) (pause * 1e9));
      }
    }
  }

  /** Returns 0 without a response. */
  private static int status(RestClient rest) {
    try {
      RestReply reply = rest.send("POST", "/" + INDEX + "/_search?request_cache=false", SEARCH);
      return reply.status();
    } catch (UncheckedIOException none) {
      return 0;
    }
  }
}
