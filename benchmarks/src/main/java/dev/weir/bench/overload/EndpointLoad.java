package dev.weir.bench.overload;

import dev.weir.bench.CapacityFinder;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.Workload;
import java.io.PrintStream;

/**
 * Sends the same requests to any endpoint.
 *
 * @param out receives a line for each round
 * @param workload of the requests
 * @param clients that find the capacity of an endpoint
 * @param pace the schedule of each round, with a rate of 1
 * @param deadline the seconds after which a response does not count
 */
record EndpointLoad(
    PrintStream out,
    Workload workload,
    int clients,
    OpenLoopLoad.LoadSchedule pace,
    double deadline)
    implements OverloadRun.Load {
  /** Returns the capacity of an endpoint that has had no load before. Blocks for some rounds. */
  double findCapacity(OverloadEndpoint endpoint) {
    return finder(endpoint).findRate();
  }

  @Override
  public double measureCapacity(OverloadEndpoint endpoint) {
    return finder(endpoint).runRound();
  }

  private CapacityFinder finder(OverloadEndpoint endpoint) {
    return new CapacityFinder(out, endpoint.addresses(), workload, clients, pace.seconds());
  }

  @Override
  public OpenLoopLoad.Result send(OverloadEndpoint endpoint, double perSecond) {
    OpenLoopLoad.Result seen =
        OpenLoopLoad.run(
            endpoint.addresses(),
            workload,
            new OpenLoopLoad.LoadSchedule(perSecond, pace.warmUpSeconds(), pace.seconds()),
            deadline);
    out.printf(
        "%s, %.0f/s offered: %.0f/s in time, %d refused, %d failed%n",
        endpoint.name(), perSecond, seen.goodput(), seen.refused(), seen.failed());
    return seen;
  }
}
