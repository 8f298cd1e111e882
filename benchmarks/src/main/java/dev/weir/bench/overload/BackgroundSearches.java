package dev.weir.bench.overload;

import dev.weir.bench.CapacityFinder;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.Workload;
import java.io.PrintStream;
import java.util.List;

/** Others that go on with small searches, at half of the rate that the gateway has room for. */
final class BackgroundSearches {
  private static final int CLIENTS = 4;
  private static final double SHARE = 0.5;

  private final Workload small = Workload.search(10, "?request_cache=false");
  private final MeasuredGateway weir;
  private final double seconds;
  private final double requestsPerSecond;

  /** Warms up, and finds out what there is room for. */
  BackgroundSearches(PrintStream out, MeasuredGateway weir, double seconds) {
    this.weir = weir;
    this.seconds = seconds;
    this.requestsPerSecond =
        SHARE * new CapacityFinder(out, weir.address(), small, CLIENTS, seconds).findRate();
  }

  /** Searches a second. */
  double requestsPerSecond() {
    return requestsPerSecond;
  }

  /** What they see for a while. */
  OpenLoopLoad.Result run() {
    return OpenLoopLoad.run(
        List.of(weir.address()),
        small,
        new OpenLoopLoad.LoadSchedule(requestsPerSecond, 0, seconds),
        seconds);
  }

  /** What went wrong for them. */
  static double errorRatio(OpenLoopLoad.Result seen) {
    return (double) (seen.failed() + seen.refused());
  }
}
