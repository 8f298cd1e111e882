package dev.weir.bench.bulk;

import dev.weir.bench.HeapAllocationProbe;
import dev.weir.bench.ProcessUsage;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The measurements of one endpoint under one kind of load, over all rounds. Confined to one thread.
 */
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
  private double messages;
  private double allocatedBytesPerBulk = Double.NaN;

  BulkMeasurement(BulkEndpoint way) {
    this.endpoint = way;
  }

  /** Sends one load through an endpoint. */
  interface LoadRun {
    BulkLoadGenerator.Result run(BulkEndpoint way);
  }

  /**
   * Runs one round and adds its figures.
   *
   * @param nodes process ids of the data nodes
   * @param refresh makes the written documents searchable
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

  /** Adds messages from the gateway to nodes. */
  void addMessages(double more) {
    messages += more;
  }

  /** Runs a round that measures only heap allocation. */
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

  /** Returns the documents written per second. */
  double documentsPerSecond() {
    return documents * 1e9 / nanos;
  }

  /** Returns the messages to nodes for a bulk; 0 if none were added. */
  double messagesPerBulk() {
    return messages / bulks;
  }

  /** Returns a percentile of the bulks' latency in milliseconds. */
  double millis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1000.0;
  }

  /** Returns the number of documents with status 429. */
  long rejected() {
    return rejected;
  }

  /** Returns the number of other documents that were not written. */
  long failed() {
    return failed;
  }

  /** Returns the CPU seconds of the data nodes for writing a thousand documents. */
  double writingCpu() {
    return writingNanos / 1e6 / documents;
  }

  /** Returns the CPU seconds of the data nodes for refreshing a thousand documents. */
  double refreshCpu() {
    return refreshNanos / 1e6 / documents;
  }

  /** Returns the CPU milliseconds of the endpoint's own process for a bulk. */
  double gatewayCpu() {
    return gatewayNanos / 1e6 / bulks;
  }

  /**
   * Returns the kilobytes of heap that the endpoint's own process allocates for a bulk; NaN if not
   * measured.
   */
  double allocatedKilobytesPerBulk() {
    return allocatedBytesPerBulk / 1024;
  }
}
