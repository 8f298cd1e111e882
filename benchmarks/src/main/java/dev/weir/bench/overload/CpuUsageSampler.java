package dev.weir.bench.overload;

import dev.weir.bench.ProcessUsage;
import java.util.List;

/**
 * How many cores the data nodes, the gateway and the clients keep busy, from one call to another.
 */
final class CpuUsageSampler {
  private final List<Long> nodes;
  private final long gateway;
  private long since;
  private long nodesBefore;
  private long gatewayBefore;
  private long clientsBefore;

  /**
   * Means over a while.
   *
   * @param nodes cores of all data nodes together
   * @param gateway cores
   * @param clients cores
   */
  record CpuUsage(double nodes, double gateway, double clients) {
    @Override
    public String toString() {
      return "%.2f nodes, %.2f gateway, %.2f clients".formatted(nodes, gateway, clients);
    }
  }

  /**
   * Looks at nothing yet.
   *
   * @param nodes processes of the data nodes
   * @param gateway its process
   */
  CpuUsageSampler(List<Long> nodes, long gateway) {
    this.nodes = nodes;
    this.gateway = gateway;
    start();
  }

  /** Forgets what was used until now. */
  void start() {
    since = System.nanoTime();
    nodesBefore = nodes();
    gatewayBefore = cpu(gateway);
    clientsBefore = cpu(ProcessHandle.current().pid());
  }

  /** What was used since the start. */
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
