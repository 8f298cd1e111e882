package dev.weir.bench.traffic;

import dev.weir.bench.HeapAllocationProbe;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ProcessUsage;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/** What was seen of one gateway under one load, over all rounds. Confined to one thread. */
final class GatewayMeasurement {
  private final MeasuredGateway gateway;
  private final Function<MeasuredGateway, OpenLoopLoad.Result> load;
  private final Histogram latencies = new Histogram(3);
  private long offered;
  private long missedDeadlines;
  private long cpuNanos;
  private double allocatedBytesPerRequest = Double.NaN;

  /**
   * Makes one that has seen nothing.
   *
   * @param load on the gateway, for a round
   */
  GatewayMeasurement(MeasuredGateway gateway, Function<MeasuredGateway, OpenLoopLoad.Result> load) {
    this.gateway = gateway;
    this.load = load;
  }

  /** Runs a round, and adds it. */
  OpenLoopLoad.Result runRound() {
    long before = ProcessUsage.read(gateway.pid()).cpuNanos();
    OpenLoopLoad.Result result = load.apply(gateway);
    cpuNanos += ProcessUsage.read(gateway.pid()).cpuNanos() - before;
    latencies.add(result.successes());
    offered += result.offered();
    missedDeadlines += result.offered() - result.onTime();
    return result;
  }

  /** Runs a round in which only heap allocation is counted. */
  void measureAllocations() {
    try (HeapAllocationProbe allocations = HeapAllocationProbe.attach(gateway.pid())) {
      long before = allocations.allocatedBytes();
      OpenLoopLoad.Result result = load.apply(gateway);
      allocatedBytesPerRequest =
          (double) (allocations.allocatedBytes() - before) / Math.max(1, result.offered());
    }
  }

  /** What requests took at most, for so many of a hundred; milliseconds. */
  double millis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1000.0;
  }

  /** The gateway's own CPU time, microseconds a request. */
  double cpuMicrosPerRequest() {
    return cpuNanos / 1000.0 / Math.max(1, offered);
  }

  /** Bytes that the gateway allocated on the heap, a request; NaN where that was not counted. */
  double allocatedBytesPerRequest() {
    return allocatedBytesPerRequest;
  }

  /** Requests without a success within the deadline. */
  long missedDeadlines() {
    return missedDeadlines;
  }
}
