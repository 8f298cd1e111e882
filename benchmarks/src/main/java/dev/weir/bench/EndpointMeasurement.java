package dev.weir.bench;

import java.util.List;
import org.HdrHistogram.Histogram;

/** The resources that one path used for one workload, over all rounds. Confined to one thread. */
public final class EndpointMeasurement {
  private final Histogram latencies = new Histogram(3);
  private long requests;
  private long errors;
  private long nanos;
  private long bodyBytes;
  private long gatewayCpuNanos;
  private long gatewayKernelNanos;
  private long nodesCpuNanos;
  private double allocatedBytesPerRequest = Double.NaN;

  /** Starts without a round. */
  public EndpointMeasurement() {}

  /** Runs one round and adds it. */
  public void runRound(
      MeasuredEndpoint contender,
      Workload workload,
      List<Long> dataNodes,
      int clients,
      double seconds) {
    ProcessUsage before = ProcessUsage.read(contender.pid());
    long nodes = cpu(dataNodes);
    add(ClosedLoopLoad.run(contender.address(), workload, clients, seconds));
    ProcessUsage after = ProcessUsage.read(contender.pid());
    gatewayCpuNanos += after.cpuNanos() - before.cpuNanos();
    gatewayKernelNanos += after.kernelNanos() - before.kernelNanos();
    nodesCpuNanos += cpu(dataNodes) - nodes;
  }

  /** Runs a round of its own in which only heap allocation is counted. */
  void measureAllocations(
      MeasuredEndpoint contender, Workload workload, int clients, double seconds) {
    try (HeapAllocationProbe allocations = HeapAllocationProbe.attach(contender.pid())) {
      ClosedLoopLoad.run(contender.address(), workload, clients, seconds / 4);
      long before = allocations.allocatedBytes();
      ClosedLoopLoad.Result result =
          ClosedLoopLoad.run(contender.address(), workload, clients, seconds);
      allocatedBytesPerRequest =
          (double) (allocations.allocatedBytes() - before) / result.requests();
    }
  }

  private void add(ClosedLoopLoad.Result result) {
    requests += result.requests();
    errors += result.errors();
    nanos += result.nanos();
    bodyBytes += result.bodyBytes();
    latencies.add(result.latencies());
  }

  private static long cpu(List<Long> pids) {
    return pids.stream().mapToLong(pid -> ProcessUsage.read(pid).cpuNanos()).sum();
  }

  long requests() {
    return requests;
  }

  long errors() {
    return errors;
  }

  /** CPU seconds of the contender's own process for a thousand requests. */
  public double gatewayCpu() {
    return gatewayCpuNanos / 1e6 / requests;
  }

  /** What of {@link #gatewayCpu} was in the kernel: moving bytes, for the most part. */
  double gatewayKernelCpu() {
    return gatewayKernelNanos / 1e6 / requests;
  }

  /** CPU seconds of the contender and of all data nodes for a thousand requests. */
  public double totalCpu() {
    return (gatewayCpuNanos + nodesCpuNanos) / 1e6 / requests;
  }

  /** Requests answered in a second. */
  double requestsPerSecond() {
    return requests * 1e9 / nanos;
  }

  /** Kilobytes of heap allocated for a request; NaN when not measured. */
  double allocatedKilobytesPerRequest() {
    return allocatedBytesPerRequest / 1024;
  }

  /** Kilobytes of body in an answer. */
  public double bodyKilobytesPerRequest() {
    return bodyBytes / 1024.0 / requests;
  }

  /** A percentile of the latency in milliseconds. */
  double millis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1000.0;
  }
}
