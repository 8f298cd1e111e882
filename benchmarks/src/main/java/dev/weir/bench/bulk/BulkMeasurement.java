package dev.weir.bench.bulk;

import dev.weir.bench.HeapAllocationProbe;
import dev.weir.bench.ProcessUsage;
import java.util.List;
import org.HdrHistogram.Histogram;

/** What one way did with one kind of load, summed over the rounds. Confined to one thread. */
final class BulkMeasurement {
  private final BulkEndpoint endpoint;
  private final Histogram latencies = new Histogram(3);
  private long bulks;
  private long documents;
  private long rejected;
  private long failed;
  private long nanos;
  private long gatewayNanos;
  private long writingNanos;
  private long refreshNanos;
  private double allocatedBytesPerBulk = Double.NaN;

  BulkMeasurement(BulkEndpoint way) {
    this.endpoint = way;
  }

  /** One load on the cluster. */
  interface LoadRun {
    BulkLoadGenerator.Result run(BulkEndpoint way);
  }

  /**
   * Runs one round and adds it.
   *
   * @param nodes the data nodes' processes
   * @param refresh lets what was written be searched
   */
  void add(LoadRun round, List<Long> nodes, Runnable refresh) {
    long own = cpu(List.of(endpoint.pid()));
    long all = cpu(nodes);
    BulkLoadGenerator.Result result = round.run(endpoint);
    gatewayNanos += cpu(List.of(endpoint.pid())) - own;
    long written = cpu(nodes);
    refresh.run();
    writingNanos += written - all;
    refreshNanos += cpu(nodes) - written;
    bulks += result.bulks();
    documents += result.written();
    rejected += result.rejected();
    failed += result.failed();
    nanos += result.nanos();
    latencies.add(result.latencies());
  }

  /** Runs a round in which only heap allocation is counted. */
  void measureAllocations(LoadRun round) {
    try (HeapAllocationProbe allocations = HeapAllocationProbe.attach(endpoint.pid())) {
      long before = allocations.allocatedBytes();
      BulkLoadGenerator.Result result = round.run(endpoint);
      allocatedBytesPerBulk = (double) (allocations.allocatedBytes() - before) / result.bulks();
    }
  }

  private static long cpu(List<Long> pids) {
    return pids.stream().mapToLong(pid -> ProcessUsage.read(pid).cpuNanos()).sum();
  }

  BulkEndpoint endpoint() {
    return endpoint;
  }

  /** Documents a second. */
  double documentsPerSecond() {
    return documents * 1e9 / nanos;
  }

  /** A percentile of what bulks took, milliseconds. */
  double millis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1000.0;
  }

  /** Documents for which there was no room. */
  long rejected() {
    return rejected;
  }

  /** Other documents that were not written. */
  long failed() {
    return failed;
  }

  /** CPU seconds of the data nodes for writing a thousand documents. */
  double writingCpu() {
    return writingNanos / 1e6 / documents;
  }

  /** CPU seconds of the data nodes for letting a thousand documents be searched. */
  double refreshCpu() {
    return refreshNanos / 1e6 / documents;
  }

  /** CPU milliseconds of the way's own process for a bulk. */
  double gatewayCpu() {
    return gatewayNanos / 1e6 / bulks;
  }

  /** Kilobytes of heap that the way's own process allocates for a bulk; NaN when not measured. */
  double allocatedKilobytesPerBulk() {
    return allocatedBytesPerBulk / 1024;
  }
}
