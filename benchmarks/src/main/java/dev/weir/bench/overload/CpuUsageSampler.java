package dev.weir.bench.overload;

import dev.weir.bench.ProcessUsage;
import java.util.List;

/** Measures how many cores the data nodes, the gateway and the clients use between two calls. */
final class CpuUsageSampler {
  private final List<Long> nodes;
  private final long gateway;
  private long since;
  private long nodesBefore;
  private long gatewayBefore;
  private long clientsBefore;

  /**
   * The mean number of busy cores.
   *
   * @param nodes of all data nodes together
   * @param gateway of the gateway
   * @param clients of this process
   */
  record CpuUsage(double nodes, double gateway, double clients) {
    @Override
    public String toString() {
      return "%.2f nodes, %.2f gateway, %.2f clients".formatted(nodes, gateway, clients);
    }
  }

  /**
   * Creates a sampler; call {@link #start} before the first measurement.
   *
   * @param nodes process ids of the data nodes
   * @param gateway its process id
   */
  CpuUsageSampler(List<Long> nodes, long gateway) {
    this.nodes = nodes;
    this.gateway = gateway;
    start();
  }

  /** Starts a measurement. */
  void start() {
    since = System.nanoTime();
    nodesBefore = nodes();
    gatewayBefore = cpu(gateway);
    clientsBefore = cpu(ProcessHandle.current().pid());
  }

  /** Returns the usage since {@link #start}. */
  CpuUsage usageSinceStart() {
    double nanos = System.nanoTime() - since;
    return new CpuUsage(
        (nodes() - nodesBefore) / nanos,
        (cpu(gateway) - gatewayBefore) / nanos,
        (cpu(ProcessHandle.current().pid()) - clientsBefore) / nanos);
  }

  private long nodes() {
    return nodes.stream().mapToLong(CpuUsageSampler::cpu).sum();
  }

  private static long cpu(long pid) {
    return ProcessUsage.read(pid).cpuNanos();
  }
}
