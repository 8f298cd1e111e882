package dev.weir.bench.overload;

import dev.weir.bench.CapacityFinder;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.Workload;
import java.io.PrintStream;
import java.util.List;

/**
 * More than the cluster can do, at several levels. A shared host is quick in one minute and slow in
 * the next: what a level got through is seen beside the capacity right before and right after it,
 * its latencies beside those of calm in the same turn, and of several turns the middle counts.
 */
final class OverloadRun {
  private static final int TURNS = 3;

  /** Calm comes first in each turn. */
  private static final List<Double> LEVELS = List.of(OverloadTable.BASELINE_LEVEL, 1.5, 3.0);

  private final PrintStream out;
  private final Workload workload;
  private final CapacityFinder capacity;
  private final OpenLoopLoad.LoadSchedule pace;
  private final double deadline;
  private final CpuUsageSampler cores;

  /**
   * Measures nothing yet.
   *
   * @param cores of the processes that do the work
   * @param capacity of the gateway, for the same work
   * @param pace of each round, with a rate of 1
   * @param deadline seconds after which an answer is worth nothing
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

  /** Floods the gateway in turns, and each other way once. */
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
    for (OverloadEndpoint door : others) {
      for (double level : LEVELS) {
        double now = peak();
        OpenLoopLoad.Result seen = runRound(door, level * now);
        table.add(new OverloadTable.Row(1, level, door, now, seen, cores.usageSinceStart()));
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

  /** One round at a rate. */
  OpenLoopLoad.Result runRound(OverloadEndpoint door, double perSecond) {
    cores.start();
    OpenLoopLoad.Result seen =
        OpenLoopLoad.run(
            door.addresses(),
            workload,
            new OpenLoopLoad.LoadSchedule(perSecond, pace.warmUpSeconds(), pace.seconds()),
            deadline);
    out.printf(
        "%s, %.0f/s offered: %.0f/s in time, %d refused, %d failed%n",
        door.name(), perSecond, seen.goodput(), seen.refused(), seen.failed());
    return seen;
  }
}
