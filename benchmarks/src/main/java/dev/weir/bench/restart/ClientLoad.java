package dev.weir.bench.restart;

import dev.weir.bench.BenchIndexes;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;

/**
 * Searches at a steady rate through a gateway, and a writer of small bulks, before and while
 * something is done to the nodes.
 *
 * @param rate searches a second
 * @param calmSeconds the time before
 */
record ClientLoad(MeasuredGateway gateway, double rate, double calmSeconds) {
  private static final double DEADLINE_SECONDS = 30;
  private static final double SLICE_SECONDS = 5;
  private static final double WARM_UP_SLICE_SECONDS = 5;
  private static final int WARM_UP_CLIENTS = 4;

  /** What is to be measured under load. */
  interface Work {
    void run() throws Exception;
  }

  /**
   * What clients noticed.
   *
   * @param calmMillis p99 of searches before
   * @param millis p99 of searches meanwhile
   * @param failed searches without a complete response in time
   * @param failedBulks bulks that failed, before and meanwhile
   * @param lost acknowledged documents that the index lacks
   * @param seconds that the work took
   * @param sliceMillis p99 of searches in each slice of the time
   */
  record Outcome(
      double calmMillis,
      double millis,
      long failed,
      long failedBulks,
      long lost,
      double seconds,
      List<Double> sliceMillis) {
    double ratio() {
      return millis / calmMillis;
    }
  }

  /** Sends searches until their CPU time has stopped falling, then the load as it is measured. */
  void warmUp(PrintStream out, List<Long> nodePids, double maxSeconds) throws Exception {
    new WarmUp(out, WARM_UP_SLICE_SECONDS, maxSeconds)
        .run(
            "searches",
            List.of("gateway"),
            (i, length) ->
                EndpointMeasurement.warmUpRound(
                    new MeasuredEndpoint("gateway", gateway.address(), gateway.pid()),
                    Workload.search(10),
                    nodePids,
                    WARM_UP_CLIENTS,
                    length));
    BenchIndexes.emptyWriteIndex(gateway.address(), new BenchIndexes.Layout(3, 1));
    try (SteadyWriter writer = new SteadyWriter(gateway.address())) {
      search(Math.min(calmSeconds, maxSeconds));
      writer.stopAndCountLost();
    }
  }

  Outcome measure(Work work) throws Exception {
    BenchIndexes.emptyWriteIndex(gateway.address(), new BenchIndexes.Layout(3, 1));
    try (SteadyWriter writer = new SteadyWriter(gateway.address())) {
      OpenLoopLoad.Result calm = search(calmSeconds);
      Histogram during = new Histogram(3);
      List<Double> sliceMillis = new ArrayList<>();
      long failed = 0;
      long began = System.nanoTime();
      CompletableFuture<Void> working =
          CompletableFuture.runAsync(
              () -> {
                try {
                  work.run();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              },
              task -> Thread.ofPlatform().name("work-on-nodes").daemon().start(task));
      while (!working.isDone()) {
        OpenLoopLoad.Result slice = search(Math.min(SLICE_SECONDS, calmSeconds));
        during.add(slice.successes());
        sliceMillis.add(slice.millis(99));
        failed += slice.offered() - slice.onTime();
      }
      double seconds = (System.nanoTime() - began) / 1e9;
      working.join();
      long lost = writer.stopAndCountLost();
      return new Outcome(
          calm.millis(99),
          during.getValueAtPercentile(99) / 1000.0,
          failed,
          writer.failed(),
          lost,
          seconds,
          sliceMillis);
    }
  }

  private OpenLoopLoad.Result search(double seconds) {
    return OpenLoopLoad.run(
        List.of(gateway.address()),
        Workload.search(10),
        new OpenLoopLoad.LoadSchedule(rate, 0, seconds),
        DEADLINE_SECONDS);
  }
}
