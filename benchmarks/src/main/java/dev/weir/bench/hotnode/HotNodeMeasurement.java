package dev.weir.bench.hotnode;

import dev.weir.bench.ClosedLoopLoad;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The measurements of one path under one fault, over all rounds. Confined to one thread. */
final class HotNodeMeasurement {
  private final Histogram latencies = new Histogram(3);
  private final List<Double> shares = new ArrayList<>();
  private final List<Double> recoveries = new ArrayList<>();
  private final List<Double> peaks = new ArrayList<>();
  private long requests;
  private long errors;
  private long nanos;
  private long gatewayNanos;
  private long nodesNanos;

  void add(ClosedLoopLoad.Result result) {
    latencies.add(result.latencies());
    requests += result.requests();
    errors += result.errors();
    nanos += result.nanos();
  }

  /** Adds the CPU time of the path's own process, and that of all data nodes. */
  void addCpu(long gateway, long nodes) {
    gatewayNanos += gateway;
    nodesNanos += nodes;
  }

  /** Adds the faulty node's share of shard searches. */
  void share(double share) {
    shares.add(share);
  }

  /**
   * Adds the recovery of a node.
   *
   * @param seconds until it had 80 % of its fair share; NaN if it never had
   * @param peak its highest share of all shard searches
   */
  void addRecovery(double seconds, double peak) {
    recoveries.add(seconds);
    peaks.add(peak);
  }

  double requestsPerSecond() {
    return requests * 1e9 / nanos;
  }

  double millis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1000.0;
  }

  /** Returns the CPU milliseconds of the path's own process for a request; 0 if none was added. */
  double gatewayCpu() {
    return gatewayNanos / 1e6 / requests;
  }

  /** Returns the CPU milliseconds of all data nodes for a request; 0 if none was added. */
  double nodesCpu() {
    return nodesNanos / 1e6 / requests;
  }

  long errors() {
    return errors;
  }

  /** Returns the mean of the added shares. */
  double share() {
    return shares.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
  }

  /** Returns the longest recovery in seconds; NaN if none was measured, or one did not complete. */
  double slowestRecovery() {
    return recoveries.stream().reduce(Double::max).orElse(Double.NaN);
  }

  double highestPeak() {
    return peaks.stream().reduce(Double::max).orElse(Double.NaN);
  }
}
