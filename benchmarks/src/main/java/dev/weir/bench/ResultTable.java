package dev.weir.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/**
 * Prints the measurements of endpoints; those of all others are shown relative to the first one's.
 */
public final class ResultTable {
  private ResultTable() {}

  /** Prints the measurements of each workload on each endpoint. */
  public static void print(
      PrintStream out,
      List<MeasuredEndpoint> endpoints,
      Map<String, List<EndpointMeasurement>> results) {
    out.printf(
        "%n%-20s %-24s %9s %13s %9s %7s %9s %7s %8s %8s %8s %8s %6s%n",
        "workload",
        "path",
        "CPU-s/1k",
        "of rounds",
        "in kernel",
        "ratio",
        "with nodes",
        "ratio",
        "req/s",
        "p50 ms",
        "p99 ms",
        "KB/resp",
        "errors");
    results.forEach((workload, measures) -> {
      for (int i = 0; i < endpoints.size(); i++) {
        EndpointMeasurement measure = measures.get(i);
        EndpointMeasurement base = measures.getFirst();
        out.printf(
            "%-20s %-24s %9.3f %6.3f-%6.3f %9.3f %7.2f %9.3f %7.2f %8.0f %8.1f %8.1f %8.1f %6d%n",
            workload,
            endpoints.get(i).name(),
            measure.gatewayCpu(),
            measure.lowestCpu(),
            measure.highestCpu(),
            measure.gatewayKernelCpu(),
            measure.gatewayCpu() / base.gatewayCpu(),
            measure.totalCpu(),
            measure.totalCpu() / base.totalCpu(),
            measure.requestsPerSecond(),
            measure.millis(50),
            measure.millis(99),
            measure.bodyKilobytesPerRequest(),
            measure.errors());
      }
    });
  }

  /** Prints heap allocations and system calls of each workload on each path with a process. */
  static void printCalls(
      PrintStream out,
      List<MeasuredEndpoint> endpoints,
      Map<String, List<EndpointMeasurement>> results) {
    out.printf(
        "%n%-20s %-24s %15s %7s %20s%n",
        "workload", "path", "heap KB/request", "ratio", "system calls/request");
    results.forEach((workload, measures) -> {
      for (int i = 0; i < endpoints.size(); i++) {
        double own = measures.get(i).allocatedKilobytesPerRequest();
        if (endpoints.get(i).pid() != MeasuredEndpoint.NO_PROCESS) {
          out.printf(
              "%-20s %-24s %15.0f %7.2f %20.1f%n",
              workload,
              endpoints.get(i).name(),
              own,
              own / measures.getFirst().allocatedKilobytesPerRequest(),
              measures.get(i).systemCallsPerRequest());
        }
      }
    });
  }
}
