package dev.weir.bench.hostile;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.hostile.HostileClient;
import dev.weir.testkit.hostile.HostileConnections;
import dev.weir.testkit.hostile.HostileCorpus;
import dev.weir.testkit.hostile.HostileOutcome;
import dev.weir.testkit.hostile.HostileRequest;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Sends every hostile request in every size, and opens every kind of hostile connection. */
@Command(
    name = "hostile",
    description = "hostile requests from 1 KB to 100 MB and slow clients, beside a neighbour")
public final class HostileBench implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @Option(
      names = "--kilobytes",
      split = ",",
      description = "sizes of the requests (default: ${DEFAULT-VALUE})")
  private List<Integer> kilobytes = List.of(1, 32, 1_000, 10_000, 99_000);

  @Option(names = "--at-once", description = "the same request at once (default: ${DEFAULT-VALUE})")
  private int atOnce = 50;

  @Option(
      names = "--connections",
      description = "connections of each hostile kind (default: ${DEFAULT-VALUE})")
  private int connections = 1_000;

  @Option(names = "--hold", description = "seconds that they stay open (default: ${DEFAULT-VALUE})")
  private double hold = 30;

  @Option(names = "--calm", description = "seconds of calm before (default: ${DEFAULT-VALUE})")
  private double calm = 30;

  @Option(names = "--only", description = "only requests and connections whose name contains this")
  private String only = "";

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BenchClusters clusters;

  public HostileBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out));
        MeasuredGateway gateway = MeasuredGateway.start(lease.cluster().seeds().subList(0, 3));
        RestClient node = new RestClient(lease.cluster().node(3).httpUri())) {
      HostileCorpus.load(node);
      HostileJudge judge = new HostileJudge(out, checks, gateway);
      judge.measureCalm(calm);
      for (int size : kilobytes) {
        sendAll(judge, gateway, size * 1_000, 1);
        sendAll(judge, gateway, size * 1_000, atOnce);
      }
      sendScripts(judge, gateway);
      connectAll(judge, gateway.address());
      judge.checkAtRest();
    }
    checks.print();
    return checks.exitCode();
  }

  private void sendAll(HostileJudge judge, MeasuredGateway gateway, int size, int times) {
    HostileClient client = new HostileClient(gateway.address(), TIMEOUT);
    for (HostileRequest request : HostileCorpus.requests()) {
      if (request.name().contains(only)) {
        String title = "%s of %d KB, %d at once".formatted(request.name(), size / 1_000, times);
        judge.run(title, () -> statuses(client.sendAtOnce(request, size, times)));
      }
    }
  }

  /** Sends scripts one at a time: a crowd of them ends any node that runs them. */
  private void sendScripts(HostileJudge judge, MeasuredGateway gateway) {
    HostileClient client = new HostileClient(gateway.address(), TIMEOUT);
    for (HostileRequest request : HostileCorpus.scripts()) {
      if (request.name().contains(only)) {
        judge.run(request.name(), () -> statuses(List.of(client.send(request, 0))));
      }
    }
  }

  private void connectAll(HostileJudge judge, InetSocketAddress address) {
    for (HostileConnections.Kind kind : HostileConnections.Kind.values()) {
      if (kind.name().contains(only)) {
        judge.run(
            connections + " connections: " + kind,
            () -> {
              try (HostileConnections open = HostileConnections.open(address, kind, connections)) {
                LockSupport.parkNanos((long) (hold * 1e9));
                return Map.of(HostileOutcome.CLOSED, open.refused());
              }
            });
      }
    }
  }

  private static Map<Integer, Integer> statuses(List<HostileOutcome> outcomes) {
    Map<Integer, Integer> counts = new TreeMap<>();
    outcomes.forEach(outcome -> counts.merge(outcome.status(), 1, Integer::sum));
    return counts;
  }
}
