package dev.weir.bench.secured;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private int nodes = 2;

  @Option(
      names = "--seconds",
      description = "length of a round of the CPU time; 0: none (default: ${DEFAULT-VALUE})")
  private double seconds = 8;

  @Option(names = "--rounds", description = "rounds of the CPU time (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(
      names = "--warm-up",
      description = "seconds before the rounds, for each server (default: ${DEFAULT-VALUE})")
  private double warmUp = 20;

  @Option(names = "--clients", description = "clients in a round (default: ${DEFAULT-VALUE})")
  private int clients = 8;

  @Option(
      names = "--documents",
      description = "documents of each of two indices in a round (default: ${DEFAULT-VALUE})")
  private int documents = 5_000;

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
        compare(cluster, gateway);
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
        ClusterSpec.ofNodes(nodes).withName("weir-bench-secured").withProgress(out::println);
    if (nodes > 1) {
      spec = spec.withNode(NodeSpec.of("coordinator").asCoordinatingOnly());
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
    try (BenchClusters.Lease open = clusters.lease(BenchCluster.spec(out));
        MeasuredGateway plain =
            SecuredGateways.inFrontOf(
                open.cluster().seeds().subList(0, 3),
                authorization.equals("gateway") ? "none" : authorization)) {
      DataNode coordinator = cluster.nodes().nodes().getLast();
      RestClient admin = cluster.nodes().rest();
      ComparisonOrders.load(admin, documents);
      ComparisonOrders.load(open.cluster().rest(), documents);
      RestAccess reader = cluster.credentials().password(SecuredUser.ORDERS_READER);
      RestAccess writer = cluster.credentials().password(SecuredUser.INDEXER);
      Map<AuthenticatedLoad, RestAccess> loads = new LinkedHashMap<>();
      loads.put(search(), reader);
      loads.put(bulk(), writer);
      loads.forEach((load, access) -> {
        AuthenticatedLoad.Server node =
            new AuthenticatedLoad.Server("node", coordinator.httpUri(), coordinator.pid(), access);
        AuthenticatedLoad.Server weir =
            new AuthenticatedLoad.Server(
                "weir", uri("https", gateway.address()), gateway.pid(), access);
        AuthenticatedLoad.Server withoutTls =
            new AuthenticatedLoad.Server(
                "weir, open cluster", uri("http", plain.address()), plain.pid(), RestAccess.PLAIN);
        measure(load, List.of(node, weir, withoutTls));
      });
    }
  }

  private void measure(AuthenticatedLoad load, List<AuthenticatedLoad.Server> servers) {
    List<AuthenticatedLoad.Result> results = new ArrayList<>();
    for (AuthenticatedLoad.Server server : servers) {
      load.run(server, clients, warmUp);
      results.add(new AuthenticatedLoad.Result(0, 0, 0));
    }
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < servers.size(); i++) {
        results.set(i, results.get(i).plus(load.run(servers.get(i), clients, seconds)));
      }
    }
    long failed = 0;
    for (int i = 0; i < servers.size(); i++) {
      AuthenticatedLoad.Result result = results.get(i);
      failed += result.failed();
      out.printf(
          "%-8s %-20s %8d requests %9.1f CPU-us a request %6d failed%n",
          load.name(),
          servers.get(i).name(),
          result.requests(),
          result.cpuMicros(),
          result.failed());
    }
    checks.checkAtMost(load.name(), "failed requests", (double) failed, 0);
    double ratio = results.get(1).cpuMicros() / results.get(2).cpuMicros();
    out.printf("%-8s TLS and authorization, of an open cluster's CPU: %.2f%n", load.name(), ratio);
    if (authorization.equals("gateway")) {
      checks.checkAtMost(load.name(), "CPU, of an open cluster's", ratio, 1.25);
    }
  }

  private static AuthenticatedLoad search() {
    return new AuthenticatedLoad(
        "search",
        "/orders-2027-*/_search",
        number ->
            """
            {"size": 10, "query": {"range": {"amount": {"gte": %d}}}, "sort": ["order"],
             "aggs": {"regions": {"terms": {"field": "region"}}}}
            """
                .formatted(number % 1000));
  }

  private static AuthenticatedLoad bulk() {
    return new AuthenticatedLoad(
        "bulk",
        "/drafts-bench/_bulk",
        number -> {
          StringBuilder lines = new StringBuilder();
          for (int i = 0; i < 20; i++) {
            lines.append(
                "{\"index\":{}}\n{\"order\":\"D-%d-%d\",\"amount\":%d}\n".formatted(number, i, i));
          }
          return lines.toString();
        });
  }

  private static URI uri(String scheme, InetSocketAddress address) {
    return URI.create(scheme + "://127.0.0.1:" + address.getPort());
  }
}
