package dev.weir.bench.traffic;

import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ProcessUsage;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/** The measurements of one gateway under one load, over all rounds. Confined to one thread. */
final class GatewayMeasurement {
  private final MeasuredGateway gateway;
  private final Function<MeasuredGateway, OpenLoopLoad.Result> load;
  private final Histogram latencies = new Histogram(3);
  private long offered;
  private long missedDeadlines;
  private long cpuNanos;

  /**
   * Creates an empty measurement.
   *
   * @param load sends one round to the gateway
   */
  GatewayMeasurement(MeasuredGateway gateway, Function<MeasuredGateway, OpenLoopLoad.Result> load) {
    this.gateway = gateway;
    this.load = load;
  }

  /** Runs a round and adds its figures. */
  OpenLoopLoad.Result runRound() {
    long before = ProcessUsage.read(gateway.pid()).cpuNanos();
    OpenLoopLoad.Result result = load.apply(gateway);
    cpuNanos += ProcessUsage.read(gateway.pid()).cpuNanos() - before;
    latencies.add(result.successes());
    offered += result.offered();
    missedDeadlines += result.offered() - result.onTime();
    return result;
  }

  /** Returns a percentile of the latency in milliseconds. */
  double millis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1000.0;
  }

  /** Returns the gateway's own CPU time for a request in microseconds. */
  double cpuMicrosPerRequest() {
    return cpuNanos / 1000.0 / Math.max(1, offered);
  }

  /** Returns the number of requests that were due. */
  long offered() {
    return offered;
  }

  /** Returns the number of requests without a success within the deadline. */
  long missedDeadlines() {
    return missedDeadlines;
  }
}
