package dev.weir.bench.overload;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.ResultChecks;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Opens many connections that each send half of a request and no more, beside small searches of
 * other clients. Keeps as many open as this process may have; the oldest are closed for new ones.
 */
final class StalledConnections {
  private static final int MAX_OPEN = 12_000;
  private static final double MAX_GROWTH_MB = 200;

  /** Fewer are no crowd: the bounds would be met by a gateway that nothing reached. */
  private static final double MIN_REACHED = 0.99;

  /** The small requests' clients connect this long before the stalled connections. */
  private static final long NEIGHBOURS_FIRST_NANOS = 300_000_000;

  /** The memory of the gateway is read after so many connections. */
  private static final int SAMPLED = 200;

  private final PrintStream out;
  private final ResultChecks verdicts;
  private final MeasuredGateway weir;
  private long mostBytes;

  StalledConnections(PrintStream out, ResultChecks verdicts, MeasuredGateway weir) {
    this.out = out;
    this.verdicts = verdicts;
    this.weir = weir;
  }

  void run(int connections, double seconds) {
    BackgroundSearches neighbours = new BackgroundSearches(out, weir, seconds);
    OpenLoopLoad.Result calm = neighbours.run();
    long before = residentBytes();
    mostBytes = before;
    Histogram beside = new Histogram(3);
    double errors = 0;
    try (HalfOpenConnections stalled =
        new HalfOpenConnections(weir.address(), "127.0.0.", maxOpen())) {
      CompletableFuture<Void> crowd = CompletableFuture.runAsync(() -> open(stalled, connections));
      do {
        OpenLoopLoad.Result seen = neighbours.run();
        errors += BackgroundSearches.errorCount(seen);
        beside.add(seen.successes());
      } while (!crowd.isDone());
      crowd.join();
      out.printf(
          "a crowd of %d half-open connections: %d reached the gateway, %d closed by it, %d open at"
              + " the end; neighbours' p99 %.1f ms (%.1f before); resident %d MB (%d before)%n",
          stalled.tried(),
          stalled.reached(),
          stalled.closedByPeer(),
          stalled.openCount(),
          beside.getValueAtPercentile(99) / 1000.0,
          calm.millis(99),
          mostBytes >> 20,
          before >> 20);
      check(verdicts, connections, stalled);
    }
    String title = title(connections);
    verdicts.checkAtMost(title, "neighbours' errors", errors, 0);
    verdicts.checkAtMost(
        title, "growth of memory in MB", (double) ((mostBytes - before) >> 20), MAX_GROWTH_MB);
  }

  private static String title(int connections) {
    return "a crowd of " + connections;
  }

  /** Checks that the connections reached the gateway. */
  static void check(ResultChecks verdicts, int connections, HalfOpenConnections stalled) {
    verdicts.checkAtLeast(
        title(connections),
        "connections that reached the gateway, of all",
        (double) stalled.reached() / connections,
        MIN_REACHED);
  }

  /** Leaves half of the descriptors that this process may have to others. */
  private static int maxOpen() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        ? (int) Math.min(MAX_OPEN, system.getMaxFileDescriptorCount() / 2)
        : MAX_OPEN;
  }

  private void open(HalfOpenConnections stalled, int connections) {
    LockSupport.parkNanos(NEIGHBOURS_FIRST_NANOS);
    for (int i = 1; i <= connections; i++) {
      stalled.openOne();
      if (i % SAMPLED == 0 || i == connections) {
        mostBytes = Math.max(mostBytes, residentBytes());
      }
    }
  }

  private long residentBytes() {
    return ProcessUsage.read(weir.pid()).residentBytes();
  }
}
