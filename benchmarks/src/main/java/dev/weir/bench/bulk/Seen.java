package dev.weir.bench.bulk;

import dev.weir.bench.Allocations;
import dev.weir.bench.ProcessUse;
import java.util.List;
import org.HdrHistogram.Histogram;

/** What one way did with one kind of load, summed over the rounds. Confined to one thread. */
final class Seen {
  private final Way way;
  private final Histogram latencies = new Histogram(3);
  private long bulks;
  private long documents;
  private long rejected;
  private long failed;
  private long nanos;
  private long ownNanos;
  private long writingNanos;
  private long refreshNanos;
  private double allocatedBytesABulk = Double.NaN;

  Seen(Way way) {
    this.way = way;
  }

  /** One load on the cluster. */
  interface Round {
    BulkLoad.Result run(Way way);
  }

  /**
   * Runs one round and adds it.
   *
   * @param nodes the data nodes' processes
   * @param refresh lets what was written be searched
   */
  void add(Round round, List<Long> nodes, Runnable refresh) {
    long own = cpu(List.of(way.pid()));
    long all = cpu(nodes);
    BulkLoad.Result result = round.run(way);
    ownNanos += cpu(List.of(way.pid())) - own;
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
  void allocations(Round round) {
    try (Allocations allocations = Allocations.of(way.pid())) {
      long before = allocations.bytes();
      BulkLoad.Result result = round.run(way);
      allocatedBytesABulk = (double) (allocations.bytes() - before) / result.bulks();
    }
  }

  private static long cpu(List<Long> pids) {
    return pids.stream().mapToLong(pid -> ProcessUse.of(pid).cpuNanos()).sum();
  }

  Way way() {
    return way;
  }

  /** Documents a second. */
  double rate() {
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
  double ownCpu() {
    return ownNanos / 1e6 / bulks;
  }

  /** Kilobytes of heap that the way's own process allocates for a bulk; NaN when not measured. */
  double allocatedKilobytes() {
    return allocatedBytesABulk / 1024;
  }
}
