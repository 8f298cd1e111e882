package dev.weir.bench;

import java.util.List;
import org.HdrHistogram.Histogram;

/** What one contender used for one workload, summed over the rounds. Confined to one thread. */
public final class Measure {
  private final Histogram latencies = new Histogram(3);
  private long requests;
  private long errors;
  private long nanos;
  private long bodyBytes;
  private long ownCpuNanos;
  private long ownKernelNanos;
  private long nodesCpuNanos;
  private double allocatedBytesARequest = Double.NaN;

  /** Makes one that has seen nothing. */
  public Measure() {}

  /** Runs one round and adds it. */
  public void round(
      Contender contender, Workload workload, List<Long> dataNodes, int clients, double seconds) {
    ProcessUse before = ProcessUse.of(contender.pid());
    long nodes = cpu(dataNodes);
    add(Load.run(contender.address(), workload, clients, seconds));
    ProcessUse after = ProcessUse.of(contender.pid());
    ownCpuNanos += after.cpuNanos() - before.cpuNanos();
    ownKernelNanos += after.kernelNanos() - before.kernelNanos();
    nodesCpuNanos += cpu(dataNodes) - nodes;
  }

  /** Runs a round of its own in which only heap allocation is counted. */
  void allocations(Contender contender, Workload workload, int clients, double seconds) {
    try (Allocations allocations = Allocations.of(contender.pid())) {
      Load.run(contender.address(), workload, clients, seconds / 4);
      long before = allocations.bytes();
      Load.Result result = Load.run(contender.address(), workload, clients, seconds);
      allocatedBytesARequest = (double) (allocations.bytes() - before) / result.requests();
    }
  }

  private void add(Load.Result result) {
    requests += result.requests();
    errors += result.errors();
    nanos += result.nanos();
    bodyBytes += result.bodyBytes();
    latencies.add(result.latencies());
  }

  private static long cpu(List<Long> pids) {
    return pids.stream().mapToLong(pid -> ProcessUse.of(pid).cpuNanos()).sum();
  }

  long requests() {
    return requests;
  }

  long errors() {
    return errors;
  }

  /** CPU seconds of the contender's own process for a thousand requests. */
  public double ownCpu() {
    return ownCpuNanos / 1e6 / requests;
  }

  /** What of {@link #ownCpu} was in the kernel: moving bytes, for the most part. */
  double ownKernel() {
    return ownKernelNanos / 1e6 / requests;
  }

  /** CPU seconds of the contender and of all data nodes for a thousand requests. */
  public double allCpu() {
    return (ownCpuNanos + nodesCpuNanos) / 1e6 / requests;
  }

  /** Requests answered in a second. */
  double rate() {
    return requests * 1e9 / nanos;
  }

  /** Kilobytes of heap allocated for a request; NaN when not measured. */
  double allocatedKilobytes() {
    return allocatedBytesARequest / 1024;
  }

  /** Kilobytes of body in an answer. */
  public double bodyKilobytes() {
    return bodyBytes / 1024.0 / requests;
  }

  /** A percentile of the latency in milliseconds. */
  double millis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1000.0;
  }
}
