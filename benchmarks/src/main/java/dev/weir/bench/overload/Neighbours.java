package dev.weir.bench.overload;

import dev.weir.bench.Capacity;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoad;
import dev.weir.bench.Workload;
import java.io.PrintStream;
import java.util.List;

/** Others that go on with small searches, at half of the rate that the gateway has room for. */
final class Neighbours {
  private static final int CLIENTS = 4;
  private static final double SHARE = 0.5;

  private final Workload small = Workload.search(10, "?request_cache=false");
  private final MeasuredGateway weir;
  private final double seconds;
  private final double rate;

  /** Warms up, and finds out what there is room for. */
  Neighbours(PrintStream out, MeasuredGateway weir, double seconds) {
    this.weir = weir;
    this.seconds = seconds;
    this.rate = SHARE * new Capacity(out, weir.address(), small, CLIENTS, seconds).find();
  }

  /** Searches a second. */
  double rate() {
    return rate;
  }

  /** What they see for a while. */
  OpenLoad.Result run() {
    return OpenLoad.run(
        List.of(weir.address()), small, new OpenLoad.Pace(rate, 0, seconds), seconds);
  }

  /** What went wrong for them. */
  static double errors(OpenLoad.Result seen) {
    return (double) (seen.failed() + seen.refused());
  }
}
