package dev.weir.bench.hostile;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.mutation.MutationReport;
import dev.weir.testkit.mutation.MutationRun;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Sends mutated real requests to a node and through the gateway, and compares the statuses. */
@Command(
    name = "mutate",
    description = "mutated requests through the gateway, compared with a node by status class")
public final class MutateBench implements Callable<Integer> {
  @Option(names = "--requests", description = "mutated requests (default: ${DEFAULT-VALUE})")
  private int requests = 100_000;

  @Option(
      names = "--minutes",
      description = "ends earlier after this time (default: ${DEFAULT-VALUE})")
  private int minutes = 60;

  @Option(names = "--lanes", description = "requests at once (default: ${DEFAULT-VALUE})")
  private int lanes = 4;

  @Option(names = "--seed", description = "repeats the requests of an earlier run")
  private long seed = System.nanoTime();

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BenchClusters clusters;

  public MutateBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    out.println("seed " + seed);
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out));
        MeasuredGateway gateway = MeasuredGateway.start(lease.cluster().seeds().subList(0, 3));
        RestClient node = new RestClient(lease.cluster().node(3).httpUri())) {
      MutationReport report =
          new MutationRun(node, gateway.address(), out::println)
              .run(seed, lanes, requests, Duration.ofMinutes(minutes));
      report.refused().forEach(out::println);
      report.slow().forEach(out::println);
      out.println(report);
      String title = report.requests() + " mutated requests";
      checks.checkAtMost(title, "refused", (double) report.refused().size(), 0);
      checks.checkAtMost(
          title, "status of another class than a node's", (double) report.differences().size(), 0);
      checks.checkTrue(
          title,
          "the gateway's process lives",
          ProcessHandle.of(gateway.pid()).map(ProcessHandle::isAlive).orElse(false));
    }
    checks.print();
    return checks.exitCode();
  }
}
