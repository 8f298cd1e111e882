package dev.weir.bench.soak;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.ResultChecks;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures whether a gateway's memory stays where it is under an hour of mixed load. */
@Command(
    name = "soak",
    description = {
      "memory of the gateway over an hour of mixed load: searches, aggregations, bulks, exports",
      "The bounds of memory are those of the second half; the gateway warms up before."
    })
public final class SoakBench implements Callable<Integer> {
  private static final double MAX_RESIDENT_MB = 256;
  private static final double MAX_GROWTH = 0.02;

  /** The warm-up takes one of so many samples: five minutes of an hour. */
  private static final int WARM_UP_SAMPLES = 12;

  @Option(names = "--minutes", description = "length of the load (default: ${DEFAULT-VALUE})")
  private double minutes = 60;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 32;

  @Option(
      names = "--documents",
      description =
          "documents of 1 KB searched, and as many that bulks replace (default: ${DEFAULT-VALUE})")
  private int documents = 20_000;

  @Option(
      names = "--interval",
      description = "seconds between two samples (default: ${DEFAULT-VALUE})")
  private double interval = 60;

  @Option(
      names = "--share",
      description =
          "load after the warm-up, of that of the same clients without pauses; 1: without pauses,"
              + " which the gateway may refuse at times (default: ${DEFAULT-VALUE})")
  private double share = 0.6;

  private final PrintStream out = System.out;
  private final BenchClusters clusters;
  private final ResultChecks checks = new ResultChecks(out);

  /** Creates the command. */
  public SoakBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out));
        MeasuredGateway gateway = MeasuredGateway.start(lease.cluster().seeds().subList(0, 3))) {
      BenchIndexes.load(
          new InetSocketAddress("127.0.0.1", lease.cluster().node(0).httpPort()), documents);
      out.println("loaded " + documents + " documents");
      List<MemorySample> samples = new ArrayList<>();
      try (MixedLoad load =
          MixedLoad.start(out, gateway.address(), RequestKinds.all(documents), clients)) {
        RequestCounts afterWarmUp = sample(gateway, load, samples);
        // In the warm-up the clients send as much as they can to nodes that still compile, and some
        // of it may be refused.
        checks.checkAtMost("after the warm-up", "refused", (double) afterWarmUp.refused(), 0);
        checks.checkAtMost("all requests", "failed", (double) load.counts().failed(), 0);
      }
      out.printf(
          "peak of resident memory: %.1f MB%n",
          ProcessUsage.read(gateway.pid()).peakResidentBytes() / 1048576.0);
      check(samples.subList(samples.size() / 2, samples.size()));
    }
    checks.print();
    return checks.exitCode();
  }

  /**
   * Takes all samples.
   *
   * @return the requests after the warm-up, without those of the interval in which the load slows
   *     down
   */
  private RequestCounts sample(
      MeasuredGateway gateway, MixedLoad load, List<MemorySample> samples) {
    int count = (int) Math.max(1, Math.round(minutes * 60 / interval));
    int warmUp = Math.max(1, count / WARM_UP_SAMPLES);
    long began = System.nanoTime();
    RequestCounts before = load.counts();
    RequestCounts warm = before;
    for (int i = 1; i <= count; i++) {
      awaitNanos(began + (long) (i * interval * 1e9));
      samples.add(MemorySample.read(gateway));
      RequestCounts now = load.counts();
      RequestCounts added = now.since(before);
      out.printf("%.1f min: %s%n  %s%n", i * interval / 60, added, samples.getLast());
      if (i == warmUp) {
        slowDown(load, added);
      } else if (i == warmUp + 1) {
        warm = now;
      }
      before = now;
    }
    load.stop();
    return load.counts().since(warm);
  }

  /** Lets the clients pause, so that their load is a share of what they had without pauses. */
  private void slowDown(MixedLoad load, RequestCounts lastInterval) {
    double perSecond =
        Math.max(1, lastInterval.ended() - lastInterval.refused() - lastInterval.failed())
            / interval;
    if (share < 1) {
      double pause = clients / (share * perSecond);
      load.pauseFor(pause);
      out.printf(
          "  the warm-up ends with %.0f requests a second; from now on each client pauses for"
              + " %.2f s on average%n",
          perSecond, pause);
    }
  }

  private static void awaitNanos(long time) {
    for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void check(List<MemorySample> half) {
    out.printf("%n%-36s %9s %9s %9s%n", "in the second half", "mean", "highest", "growth");
    for (MemorySample.Figure figure : MemorySample.Figure.values()) {
      List<Double> values = half.stream().map(sample -> sample.of(figure)).toList();
      out.printf(
          "%-36s %9.1f %9.1f %7.1f %%%n",
          figure.label(), mean(values), highest(values), 100 * GrowthTrend.of(values));
    }
    List<Double> resident =
        half.stream().map(sample -> sample.of(MemorySample.Figure.RESIDENT)).toList();
    checks.checkAtMost(
        "second half", "resident MB, highest sample", highest(resident), MAX_RESIDENT_MB);
    checks.checkAtMost(
        "second half",
        "growth of resident memory, of its mean",
        GrowthTrend.of(resident),
        MAX_GROWTH);
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
  }

  private static double highest(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
  }
}
