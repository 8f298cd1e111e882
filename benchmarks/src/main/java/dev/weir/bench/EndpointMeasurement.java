package dev.weir.bench;

import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The resources that one endpoint used for one workload, over all rounds. Confined to one thread.
 */
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
  private double systemCallsPerRequest = Double.NaN;
  private double lowestCpu = Double.NaN;
  private double highestCpu = Double.NaN;

  /** Creates an empty measurement. */
  public EndpointMeasurement() {}

  /** Runs one round and adds its figures. */
  public void runRound(
      MeasuredEndpoint endpoint,
      Workload workload,
      List<Long> dataNodes,
      int clients,
      double seconds) {
    ProcessUsage before = endpoint.usage();
    long nodes = cpu(dataNodes);
    ClosedLoopLoad.Result result =
        ClosedLoopLoad.run(endpoint.addresses(), workload, clients, seconds);
    add(result);
    ProcessUsage after = endpoint.usage();
    long cpuNanos = after.cpuNanos() - before.cpuNanos();
    gatewayCpuNanos += cpuNanos;
    double cpu = cpuNanos / 1e6 / result.requests();
    lowestCpu = Double.isNaN(lowestCpu) ? cpu : Math.min(lowestCpu, cpu);
    highestCpu = Double.isNaN(highestCpu) ? cpu : Math.max(highestCpu, cpu);
    gatewayKernelNanos += after.kernelNanos() - before.kernelNanos();
    nodesCpuNanos += cpu(dataNodes) - nodes;
  }

  /**
   * Runs a round of a {@link WarmUp}, whose figures are not kept.
   *
   * @return the CPU time of a request in microseconds, as of {@link #judgedCpu}
   */
  public static double warmUpRound(
      MeasuredEndpoint endpoint,
      Workload workload,
      List<Long> dataNodes,
      int clients,
      double seconds) {
    EndpointMeasurement warming = new EndpointMeasurement();
    warming.runRound(endpoint, workload, dataNodes, clients, seconds);
    return 1000 * warming.judgedCpu(endpoint);
  }

  /** Runs a round that measures only heap allocation. */
  public void measureAllocations(
      MeasuredEndpoint endpoint, Workload workload, int clients, double seconds) {
    try (HeapAllocationProbe allocations = HeapAllocationProbe.attach(endpoint.pid())) {
      ClosedLoopLoad.run(endpoint.addresses(), workload, clients, seconds / 4);
      long before = allocations.allocatedBytes();
      ClosedLoopLoad.Result result =
          ClosedLoopLoad.run(endpoint.addresses(), workload, clients, seconds);
      allocatedBytesPerRequest =
          (double) (allocations.allocatedBytes() - before) / result.requests();
    }
  }

  /** Runs a round that measures only system calls; does nothing where they cannot be counted. */
  public void countSystemCalls(
      MeasuredEndpoint endpoint, Workload workload, int clients, double seconds) {
    try (SystemCallCounter counter = SystemCallCounter.start(endpoint.pid())) {
      ClosedLoopLoad.Result result =
          ClosedLoopLoad.run(endpoint.addresses(), workload, clients, seconds);
      systemCallsPerRequest = counter.stop() / result.requests();
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

  /** Returns the requests with a response. */
  public long requests() {
    return requests;
  }

  /** Returns the responses that were not a success. */
  public long errors() {
    return errors;
  }

  /** Returns the CPU seconds of the endpoint's own process for a thousand requests. */
  public double gatewayCpu() {
    return gatewayCpuNanos / 1e6 / requests;
  }

  /** Returns the CPU of the path's own process; with that of the data nodes where it has none. */
  double judgedCpu(MeasuredEndpoint endpoint) {
    return endpoint.pid() == MeasuredEndpoint.NO_PROCESS ? totalCpu() : gatewayCpu();
  }

  /** Returns {@link #gatewayCpu} of the round with the lowest. */
  double lowestCpu() {
    return lowestCpu;
  }

  /** Returns {@link #gatewayCpu} of the round with the highest. */
  double highestCpu() {
    return highestCpu;
  }

  /** Returns the part of {@link #gatewayCpu} in the kernel, mostly for moving bytes. */
  double gatewayKernelCpu() {
    return gatewayKernelNanos / 1e6 / requests;
  }

  /** Returns the CPU seconds of the endpoint and of all data nodes for a thousand requests. */
  public double totalCpu() {
    return (gatewayCpuNanos + nodesCpuNanos) / 1e6 / requests;
  }

  /** Returns the CPU seconds of all data nodes for a thousand requests. */
  public double nodesCpu() {
    return nodesCpuNanos / 1e6 / requests;
  }

  /** Returns the responses per second. */
  public double requestsPerSecond() {
    return requests * 1e9 / nanos;
  }

  /** Returns the kilobytes of heap allocated for a request; NaN if not measured. */
  public double allocatedKilobytesPerRequest() {
    return allocatedBytesPerRequest / 1024;
  }

  /** Returns the system calls of the endpoint's process for a request; NaN if not measured. */
  public double systemCallsPerRequest() {
    return systemCallsPerRequest;
  }

  /** Returns the kilobytes of a response's body. */
  public double bodyKilobytesPerRequest() {
    return bodyBytes / 1024.0 / requests;
  }

  /** Returns a percentile of the latency in milliseconds. */
  public double millis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / 1000.0;
  }
}
