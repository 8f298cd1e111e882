package dev.weir.bench.overload;

import dev.weir.bench.CapacityFinder;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.Workload;
import java.io.PrintStream;
import java.util.List;

/**
 * Sends more load than the cluster can serve, at several levels. The speed of a shared host varies
 * from minute to minute. The run therefore compares the goodput at each level with the capacity
 * right before and after it, and its latencies with those of the baseline level in the same turn;
 * the median of several turns counts.
 */
final class OverloadRun {
  private static final int TURNS = 3;

  /** The levels of load; the baseline comes first in each turn. */
  private static final List<Double> LEVELS = List.of(OverloadTable.BASELINE_LEVEL, 1.5, 3.0);

  private final PrintStream out;
  private final Workload workload;
  private final CapacityFinder capacity;
  private final OpenLoopLoad.LoadSchedule pace;
  private final double deadline;
  private final CpuUsageSampler cores;

  /**
   * Creates a run.
   *
   * @param cores measures the CPU usage of the processes
   * @param capacity measures the gateway's capacity for the same work
   * @param pace the schedule of each round, with a rate of 1
   * @param deadline the seconds after which a response does not count
   */
  OverloadRun(
      PrintStream out,
      CpuUsageSampler cores,
      Workload workload,
      CapacityFinder capacity,
      OpenLoopLoad.LoadSchedule pace,
      double deadline) {
    this.cores = cores;
    this.out = out;
    this.workload = workload;
    this.capacity = capacity;
    this.pace = pace;
    this.deadline = deadline;
  }

  /** Overloads the gateway in several turns, and each other endpoint once. */
  OverloadTable run(OverloadEndpoint gateway, List<OverloadEndpoint> others) {
    OverloadTable table = new OverloadTable(out);
    for (int turn = 1; turn <= TURNS; turn++) {
      double before = peak();
      for (double level : LEVELS) {
        OpenLoopLoad.Result seen = runRound(gateway, level * before);
        CpuUsageSampler.CpuUsage used = cores.usageSinceStart();
        double after = peak();
        table.add(new OverloadTable.Row(turn, level, gateway, (before + after) / 2, seen, used));
        before = after;
      }
    }
    for (OverloadEndpoint endpoint : others) {
      for (double level : LEVELS) {
        double now = peak();
        OpenLoopLoad.Result seen = runRound(endpoint, level * now);
        table.add(new OverloadTable.Row(1, level, endpoint, now, seen, cores.usageSinceStart()));
      }
    }
    return table;
  }

  private double peak() {
    cores.start();
    double perSecond = capacity.runRound();
    out.println("  cores: " + cores.usageSinceStart());
    return perSecond;
  }

  /** Runs one round at a rate. */
  OpenLoopLoad.Result runRound(OverloadEndpoint endpoint, double perSecond) {
    cores.start();
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
