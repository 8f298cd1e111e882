package dev.weir.bench.secured;

import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The CPU time of a search and of a bulk: of the node that only coordinates, of the gateway, of a
 * gateway with TLS that authorizes nobody, and of one in front of an open cluster without TLS.
 */
final class CpuComparison {
  private static final double MAX_OF_OPEN = 1.25;
  private static final double SHARE_OF_SLOWEST = 0.6;

  private static final AuthenticatedLoad SEARCH =
      new AuthenticatedLoad(
          "search",
          "/orders-2027-*/_search",
          number ->
              """
              {"size": 10, "query": {"range": {"amount": {"gte": %d}}}, "sort": ["order"],
               "aggs": {"regions": {"terms": {"field": "region"}}}}
              """
                  .formatted(number % 1000));

  private static final AuthenticatedLoad BULK =
      new AuthenticatedLoad(
          "bulk",
          "/drafts-bench/_bulk",
          number -> {
            StringBuilder lines = new StringBuilder();
            for (int i = 0; i < 20; i++) {
              lines.append(
                  "{\"index\":{}}\n{\"order\":\"D-%d-%d\",\"amount\":%d}\n"
                      .formatted(number, i, i));
            }
            return lines.toString();
          });

  private final PrintStream out;
  private final ResultChecks checks;
  private final RoundPlan plan;
  private final boolean bounded;

  /**
   * Creates a comparison.
   *
   * @param bounded whether the gateway coordinates, so that its CPU time has a bound
   */
  CpuComparison(PrintStream out, ResultChecks checks, RoundPlan plan, boolean bounded) {
    this.out = out;
    this.checks = checks;
    this.plan = plan;
    this.bounded = bounded;
  }

  /**
   * Measures all paths in turn.
   *
   * @param trusting the secured cluster behind a gateway that authorizes nobody
   */
  void run(MeasuredCluster secured, MeasuredCluster trusting, MeasuredCluster open)
      throws IOException {
    List<AuthenticatedLoad.Result> searches =
        run(
            SEARCH,
            List.of(
                secured.node(secured.reader()),
                secured.weir(secured.reader()),
                trusting.weir(trusting.reader()),
                open.weir(open.reader())));
    out.printf(
        "%-8s with users, less TLS alone: %.1f CPU-us%n",
        SEARCH.name(), searches.get(1).cpuMicros() - searches.get(2).cpuMicros());
    run(
        BULK,
        List.of(
            secured.node(secured.writer()),
            secured.weir(secured.writer()),
            trusting.weir(trusting.writer()),
            open.weir(open.writer())));
  }

  private List<AuthenticatedLoad.Result> run(
      AuthenticatedLoad load, List<AuthenticatedLoad.Server> servers) throws IOException {
    List<AuthenticatedLoad.Result> results = new ArrayList<>();
    new WarmUp(out, plan.seconds(), plan.maxWarmUp())
        .run(
            load.name(),
            servers.stream().map(AuthenticatedLoad.Server::name).toList(),
            (i, seconds) -> load.run(servers.get(i), plan.clients(), seconds).cpuMicros());
    // with more requests in flight one takes less CPU time: events come together
    double slowest = Double.POSITIVE_INFINITY;
    for (AuthenticatedLoad.Server server : servers) {
      results.add(AuthenticatedLoad.Result.none());
      AuthenticatedLoad.Result loop = load.run(server, plan.clients(), plan.seconds());
      slowest = Math.min(slowest, loop.requestsPerSecond());
    }
    double rate = SHARE_OF_SLOWEST * slowest;
    out.printf("%-8s all get %.0f requests a second%n", load.name(), rate);
    for (int round = 0; round < plan.rounds(); round++) {
      for (int i = 0; i < servers.size(); i++) {
        AuthenticatedLoad.Result seen =
            load.runAtRate(servers.get(i), plan.clients(), plan.seconds(), rate);
        results.set(i, results.get(i).plus(seen));
      }
    }
    long failed = 0;
    for (int i = 0; i < servers.size(); i++) {
      AuthenticatedLoad.Result result = results.get(i);
      failed += result.failed();
      out.printf(
          "%-8s %-24s %8d requests %9.1f CPU-us a request  p99 %6.1f ms %6d failed%n",
          load.name(),
          servers.get(i).name(),
          result.requests(),
          result.cpuMicros(),
          result.millis(99),
          result.failed());
    }
    checks.checkAtMost(load.name(), "failed requests", (double) failed, 0);
    double ratio = results.get(2).cpuMicros() / results.get(3).cpuMicros();
    out.printf("%-8s TLS, of an open cluster's CPU: %.2f%n", load.name(), ratio);
    if (bounded) {
      checks.checkAtMost(load.name(), "CPU with TLS, of an open cluster's", ratio, MAX_OF_OPEN);
    }
    return results;
  }
}
