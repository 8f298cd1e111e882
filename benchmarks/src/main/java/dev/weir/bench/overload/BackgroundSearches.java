package dev.weir.bench.overload;

import dev.weir.bench.CapacityFinder;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.Workload;
import java.io.PrintStream;
import java.util.List;

/** Small searches of other clients, at half of the gateway's capacity. */
final class BackgroundSearches {
  private static final int CLIENTS = 4;
  private static final double SHARE = 0.5;

  private final Workload small = Workload.search(10, "?request_cache=false");
  private final MeasuredGateway weir;
  private final double seconds;
  private final double requestsPerSecond;

  /** Warms up and measures the gateway's capacity. */
  BackgroundSearches(PrintStream out, MeasuredGateway weir, double seconds) {
    this.weir = weir;
    this.seconds = seconds;
    this.requestsPerSecond =
        SHARE * new CapacityFinder(out, weir.address(), small, CLIENTS, seconds).findRate();
  }

  /** Returns the rate of these searches. */
  double requestsPerSecond() {
    return requestsPerSecond;
  }

  /** Sends the searches for one round. */
  OpenLoopLoad.Result run() {
    return OpenLoopLoad.run(
        List.of(weir.address()),
        small,
        new OpenLoopLoad.LoadSchedule(requestsPerSecond, 0, seconds),
        seconds);
  }

  /** Returns the number of rejected and failed searches. */
  static double errorCount(OpenLoopLoad.Result seen) {
    return (double) (seen.failed() + seen.refused());
  }
}
