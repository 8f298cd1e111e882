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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Sends every hostile request in every size, and opens every kind of hostile connection. */
@Command(
    name = "hostile",
    description = "hostile requests from 1 KB to 100 MB and slow clients, beside a neighbour")
public final class HostileBench implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final int BYTES_PER_KILOBYTE = 1_000;

  @Option(
      names = "--kilobytes",
      split = ",",
      description = "sizes of the requests that are sent alone (default: ${DEFAULT-VALUE})")
  private List<Integer> kilobytes = List.of(1, 32, 1_000, 99_000);

  @Option(
      names = "--crowd-kilobytes",
      split = ",",
      description = "sizes of the requests that are sent at once (default: ${DEFAULT-VALUE})")
  private List<Integer> crowdKilobytes = List.of(1, 32, 300);

  @Option(
      names = "--crowd-timeout",
      description = "seconds after which clients of a crowd give up (default: ${DEFAULT-VALUE})")
  private int crowdTimeout = 10;

  @Option(
      names = "--minutes",
      description = "what is not sent by then is not sent (default: ${DEFAULT-VALUE})")
  private double minutes = 12;

  @Option(names = "--at-once", description = "the same request at once (default: ${DEFAULT-VALUE})")
  private int atOnce = 50;

  @Option(
      names = "--connections",
      description = "connections of each hostile kind (default: ${DEFAULT-VALUE})")
  private int connections = 1_000;

  @Option(names = "--hold", description = "seconds that they stay open (default: ${DEFAULT-VALUE})")
  private double hold = 8;

  @Option(names = "--calm", description = "seconds of calm before (default: ${DEFAULT-VALUE})")
  private double calm = 10;

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
      HostileJudge judge =
          new HostileJudge(
              out,
              checks,
              gateway,
              lease.cluster().nodes(),
              System.nanoTime() + (long) (minutes * 60e9));
      judge.measureCalm(calm);
      for (int size : kilobytes) {
        boolean isFirst = size == kilobytes.getFirst();
        judge.judge("%d KB, alone".formatted(size), requests(size, 1, isFirst));
      }
      judge.judge("scripts", scripts());
      judge.judge(connections + " connections", connections());
      for (int size : crowdKilobytes) {
        boolean isFirst = size == crowdKilobytes.getFirst();
        judge.judge("%d KB, %d at once".formatted(size, atOnce), requests(size, atOnce, isFirst));
      }
      judge.checkAtRest();
    }
    checks.print();
    return checks.exitCode();
  }

  /**
   * Returns the requests of a size.
   *
   * @param all also those that have one size only
   */
  private List<HostileCase> requests(int size, int times, boolean all) {
    Duration timeout = times == 1 ? TIMEOUT : Duration.ofSeconds(crowdTimeout);
    List<HostileCase> cases = new ArrayList<>();
    for (HostileRequest request : HostileCorpus.requests()) {
      if (request.name().contains(only) && (all || hasSizes(request))) {
        cases.add(
            new HostileCase(
                request.name(),
                target ->
                    statuses(
                        new HostileClient(target, timeout)
                            .sendAtOnce(request, size * BYTES_PER_KILOBYTE, times)),
                times == 1,
                mayBeReset(request)));
      }
    }
    return cases;
  }

  private static boolean hasSizes(HostileRequest request) {
    return request.body().apply(BYTES_PER_KILOBYTE).length
        != request.body().apply(2 * BYTES_PER_KILOBYTE).length;
  }

  /** Returns the scripts, one at a time: a crowd of them ends any node that runs them. */
  private List<HostileCase> scripts() {
    return HostileCorpus.scripts().stream()
        .filter(request -> request.name().contains(only))
        .map(request ->
            new HostileCase(
                request.name(),
                target -> statuses(List.of(new HostileClient(target, TIMEOUT).send(request, 0))),
                true,
                mayBeReset(request)))
        .toList();
  }

  /**
   * A client that is still sending when its body turns out to be corrupt may find its connection
   * reset before it has read the response.
   */
  private static boolean mayBeReset(HostileRequest request) {
    return request.headers().contains("gzip");
  }

  /** Returns the connections; one that is refused has status {@link HostileOutcome#CLOSED}. */
  private List<HostileCase> connections() {
    return Stream.of(HostileConnections.Kind.values())
        .filter(kind -> kind.name().contains(only))
        .map(kind -> new HostileCase(kind.name(), target -> connect(target, kind), true, true))
        .toList();
  }

  private Map<Integer, Integer> connect(InetSocketAddress target, HostileConnections.Kind kind) {
    try (HostileConnections open = HostileConnections.open(target, kind, connections)) {
      LockSupport.parkNanos((long) (hold * 1e9));
      return Map.of(HostileOutcome.CLOSED, open.refused());
    }
  }

  private static Map<Integer, Integer> statuses(List<HostileOutcome> outcomes) {
    Map<Integer, Integer> counts = new TreeMap<>();
    outcomes.forEach(outcome -> counts.merge(outcome.status(), 1, Integer::sum));
    return counts;
  }
}
