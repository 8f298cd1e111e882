package dev.weir.bench.traffic;

import dev.weir.bench.Allocations;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoad;
import dev.weir.bench.ProcessUse;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/** What was seen of one gateway under one load, over all rounds. Confined to one thread. */
final class Seen {
  private final MeasuredGateway gateway;
  private final Function<MeasuredGateway, OpenLoad.Result> load;
  private final Histogram took = new Histogram(3);
  private long offered;
  private long notInTime;
  private long cpuNanos;
  private double allocatedBytes = Double.NaN;

  /**
   * Makes one that has seen nothing.
   *
   * @param load on the gateway, for a round
   */
  Seen(MeasuredGateway gateway, Function<MeasuredGateway, OpenLoad.Result> load) {
    this.gateway = gateway;
    this.load = load;
  }

  /** Runs a round, and adds it. */
  OpenLoad.Result round() {
    long before = ProcessUse.of(gateway.pid()).cpuNanos();
    OpenLoad.Result result = load.apply(gateway);
    cpuNanos += ProcessUse.of(gateway.pid()).cpuNanos() - before;
    took.add(result.successes());
    offered += result.offered();
    notInTime += result.offered() - result.inTime();
    return result;
  }

  /** Runs a round in which only heap allocation is counted. */
  void allocations() {
    try (Allocations allocations = Allocations.of(gateway.pid())) {
      long before = allocations.bytes();
      OpenLoad.Result result = load.apply(gateway);
      allocatedBytes = (double) (allocations.bytes() - before) / Math.max(1, result.offered());
    }
  }

  /** What requests took at most, for so many of a hundred; milliseconds. */
  double millis(double percentile) {
    return took.getValueAtPercentile(percentile) / 1000.0;
  }

  /** The gateway's own CPU time, microseconds a request. */
  double cpuMicros() {
    return cpuNanos / 1000.0 / Math.max(1, offered);
  }

  /** Bytes that the gateway allocated on the heap, a request; NaN where that was not counted. */
  double allocatedBytes() {
    return allocatedBytes;
  }

  /** Requests without a success within the deadline. */
  long notInTime() {
    return notInTime;
  }
}
