package dev.weir.bench.secured;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SecuredClusterSpec;
import dev.weir.testkit.secured.SecuredSampleData;
import dev.weir.testkit.secured.SecuredUser;
import dev.weir.testkit.secured.compare.ComparisonOrders;
import dev.weir.testkit.secured.compare.SecuredComparison;
import dev.weir.testkit.secured.compare.SecuredComparisonReport;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Compares users' requests to a secured cluster with a node's responses, and measures CPU time. */
@Command(
    name = "secured",
    description = {
      "a cluster with the security plugin and TLS: requests of users with different rights through"
          + " the gateway, compared with a node; CPU a request beside a node, and beside an open"
          + " cluster"
    })
public final class SecuredBench implements Callable<Integer> {
  private static final int COMPARED_DOCUMENTS = 400;

  @Option(names = "--requests", description = "compared requests (default: ${DEFAULT-VALUE})")
  private int requests = 100_000;

  @Option(names = "--lanes", description = "compared requests at once (default: ${DEFAULT-VALUE})")
  private int lanes = 4;

  @Option(names = "--seed", description = "repeats the requests of an earlier run")
  private long seed = System.nanoTime();

  @Option(
      names = "--authorization",
      description = "clusters.main.authorization of the gateway (default: ${DEFAULT-VALUE})")
  private String authorization = "delegate";

  @Option(
      names = "--do-not-fail-on-forbidden",
      description = "nodes leave forbidden indices out of a search, in place of 403")
  private boolean doNotFailOnForbidden;

  @Option(names = "--nodes", description = "data nodes (default: ${DEFAULT-VALUE})")
  private int nodes = 3;

  @Option(names = "--heap", description = "heap of a node (default: ${DEFAULT-VALUE})")
  private String heap = "1g";

  @Option(
      names = "--seconds",
      description = "length of a round of the CPU time; 0: none (default: ${DEFAULT-VALUE})")
  private double seconds = 8;

  @Option(names = "--rounds", description = "rounds of the CPU time (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(
      names = "--warm-up",
      description =
          "most seconds of load for each server until its CPU time has stopped falling"
              + " (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  @Option(names = "--clients", description = "clients in a round (default: ${DEFAULT-VALUE})")
  private int clients = 8;

  @Option(
      names = "--documents",
      description = "documents of each of two indices in a round (default: ${DEFAULT-VALUE})")
  private int documents = 5_000;

  @Option(
      names = "--shards",
      description = "shards of the indices for single-shard bulks (default: ${DEFAULT-VALUE})")
  private int shards = 120;

  @Option(
      names = "--bulk-documents",
      description = "documents of such a bulk (default: ${DEFAULT-VALUE})")
  private int bulkDocuments = 1000;

  @Option(
      names = "--only",
      description =
          "only the parts whose name contains this: compare, cpu; with --authorization gateway also"
              + " stopped, bulks")
  private String only = "";

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BenchClusters clusters;

  public SecuredBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    out.println("seed " + seed);
    try (SecuredCluster cluster = SecuredCluster.start(spec())) {
      SecuredSampleData.load(cluster.nodes().rest());
      try (MeasuredGateway gateway = SecuredGateways.inFrontOf(cluster, authorization)) {
        if (isPartEnabled("compare")) {
          compare(cluster, gateway);
        }
        if (seconds > 0) {
          measure(cluster, gateway);
        }
      }
    }
    checks.print();
    return checks.exitCode();
  }

  /** With several data nodes, a further node only coordinates, like the gateway. */
  private SecuredClusterSpec spec() {
    ClusterSpec spec =
        ClusterSpec.ofNodes(nodes)
            .withName("weir-bench-secured")
            .mapNodes(node -> node.withHeap(heap))
            .withProgress(out::println);
    if (nodes > 1) {
      spec = spec.withNode(NodeSpec.of("coordinator").asCoordinatingOnly().withHeap(heap));
    }
    SecuredClusterSpec secured = SecuredClusterSpec.of(spec);
    return doNotFailOnForbidden ? secured.withoutFailureOnForbidden() : secured;
  }

  private void compare(SecuredCluster cluster, MeasuredGateway gateway) {
    RequestPathCounts before = RequestPathCounts.read(gateway.adminAddress());
    SecuredComparisonReport report =
        new SecuredComparison(cluster, uri("https", gateway.address()), out::println)
            .run(seed, lanes, requests, COMPARED_DOCUMENTS);
    out.println(report);
    RequestPathCounts paths = RequestPathCounts.read(gateway.adminAddress()).since(before);
    paths.counts().forEach((path, count) -> out.printf("%9d %s%n", count, path));
    String title = report.requests() + " requests of users, authorization: " + authorization;
    checks.checkAtMost(title, "responses unlike the node's", report.different(), 0);
    checks.checkAtMost(title, "of them right at the second time", report.unstable(), 0);
    checks.checkAtMost(title, "leaks", (double) report.leaks().size(), 0);
    for (String action : List.of("search", "bulk")) {
      double share =
          (double) paths.coordinated(action) / report.permitted().getOrDefault("_" + action, 0);
      out.printf("coordinated of permitted %s requests: %.1f %%%n", action, share * 100);
      if (authorization.equals("gateway")) {
        checks.checkAtLeast(title, "share of coordinated requests, " + action, share, 0.95);
      }
    }
  }

  private void measure(SecuredCluster cluster, MeasuredGateway gateway) throws IOException {
    boolean coordinates = authorization.equals("gateway");
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out));
        MeasuredGateway withoutUsers = SecuredGateways.inFrontOf(cluster, "none");
        MeasuredGateway plain =
            SecuredGateways.inFrontOf(
                lease.cluster().seeds().subList(0, 3), coordinates ? "none" : authorization)) {
      MeasuredCluster secured =
          new MeasuredCluster(
              "secured",
              cluster.nodes(),
              gateway,
              cluster.credentials().password(SecuredUser.ORDERS_READER),
              cluster.credentials().password(SecuredUser.INDEXER));
      MeasuredCluster open =
          new MeasuredCluster("open", lease.cluster(), plain, RestAccess.PLAIN, RestAccess.PLAIN);
      ComparisonOrders.load(cluster.nodes().rest(), documents);
      ComparisonOrders.load(lease.cluster().rest(), documents);
      RoundPlan plan = new RoundPlan(warmUp, rounds, seconds, clients);
      if (isPartEnabled("cpu")) {
        MeasuredCluster trusting =
            new MeasuredCluster(
                "TLS alone", cluster.nodes(), withoutUsers, secured.reader(), secured.writer());
        new CpuComparison(out, checks, plan, coordinates).run(secured, trusting, open);
      }
      if (coordinates && isPartEnabled("stopped") && nodes > 2) {
        new StoppedNodeComparison(out, checks, plan).run(secured, open);
      }
      if (coordinates && isPartEnabled("bulks")) {
        new SingleShardBulkComparison(out, checks, plan, shards, bulkDocuments).run(secured, open);
      }
    }
  }

  private boolean isPartEnabled(String name) {
    return name.contains(only);
  }

  private static URI uri(String scheme, InetSocketAddress address) {
    return URI.create(scheme + "://127.0.0.1:" + address.getPort());
  }
}
