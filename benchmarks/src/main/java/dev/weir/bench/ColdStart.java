package dev.weir.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Measures the first minute of a process that has just become ready: its JVM compiles what it runs
 * meanwhile.
 *
 * @param out receives the table
 * @param workload of the requests
 * @param clients in a closed loop, so that a slower process gets fewer requests
 * @param share of the usual length of each part: 1, or less for a short run
 */
record ColdStart(PrintStream out, Workload workload, int clients, double share) {
  /** The parts, in seconds since the first request. */
  private static final List<Integer> ENDS = List.of(10, 30, 60);

  /** A process that can be started. */
  interface Contender {
    /** Starts the process; returns once it is ready. */
    MeasuredEndpoint start() throws IOException;
  }

  /** Starts a contender, and measures it. Blocks for a minute. */
  void run(Contender contender) throws IOException {
    MeasuredEndpoint endpoint = contender.start();
    int from = 0;
    for (int end : ENDS) {
      ProcessUsage before = ProcessUsage.read(endpoint.pid());
      ClosedLoopLoad.Result result = load(endpoint.address(), (end - from) * share);
      double cpuNanos = ProcessUsage.read(endpoint.pid()).cpuNanos() - before.cpuNanos();
      out.printf(
          "cold start, %s, %s, seconds %d to %d: %.3f CPU-s/1000, %.0f req/s, p99 %.1f ms%n",
          workload.name(),
          endpoint.name(),
          from,
          end,
          cpuNanos / 1e6 / result.requests(),
          result.requests() * 1e9 / result.nanos(),
          result.millis(99));
      from = end;
    }
  }

  private ClosedLoopLoad.Result load(InetSocketAddress address, double seconds) {
    return ClosedLoopLoad.run(address, workload, clients, seconds);
  }
}
