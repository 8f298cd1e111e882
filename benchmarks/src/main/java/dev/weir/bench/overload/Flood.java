package dev.weir.bench.overload;

import dev.weir.bench.Capacity;
import dev.weir.bench.OpenLoad;
import dev.weir.bench.Workload;
import java.io.PrintStream;
import java.util.List;

/**
 * More than the cluster can do, at several levels. A shared host is quick in one minute and slow in
 * the next: what a level got through is seen beside the capacity right before and right after it,
 * its latencies beside those of calm in the same turn, and of several turns the middle counts.
 */
final class Flood {
  private static final int TURNS = 3;

  /** Calm comes first in each turn. */
  private static final List<Double> LEVELS = List.of(FloodTable.CALM, 1.5, 3.0);

  private final PrintStream out;
  private final Workload workload;
  private final Capacity capacity;
  private final OpenLoad.Pace pace;
  private final double deadline;
  private final Cores cores;

  /**
   * Measures nothing yet.
   *
   * @param cores of the processes that do the work
   * @param capacity of the gateway, for the same work
   * @param pace of each round, with a rate of 1
   * @param deadline seconds after which an answer is worth nothing
   */
  Flood(
      PrintStream out,
      Cores cores,
      Workload workload,
      Capacity capacity,
      OpenLoad.Pace pace,
      double deadline) {
    this.cores = cores;
    this.out = out;
    this.workload = workload;
    this.capacity = capacity;
    this.pace = pace;
    this.deadline = deadline;
  }

  /** Floods the gateway in turns, and each other way once. */
  FloodTable run(Door gateway, List<Door> others) {
    FloodTable table = new FloodTable(out);
    for (int turn = 1; turn <= TURNS; turn++) {
      double before = peak();
      for (double level : LEVELS) {
        OpenLoad.Result seen = open(gateway, level * before);
        Cores.Used used = cores.used();
        double after = peak();
        table.add(new FloodTable.Row(turn, level, gateway, (before + after) / 2, seen, used));
        before = after;
      }
    }
    for (Door door : others) {
      for (double level : LEVELS) {
        double now = peak();
        OpenLoad.Result seen = open(door, level * now);
        table.add(new FloodTable.Row(1, level, door, now, seen, cores.used()));
      }
    }
    return table;
  }

  private double peak() {
    cores.start();
    double perSecond = capacity.round();
    out.println("  cores: " + cores.used());
    return perSecond;
  }

  /** One round at a rate. */
  OpenLoad.Result open(Door door, double perSecond) {
    cores.start();
    OpenLoad.Result seen =
        OpenLoad.run(
            door.addresses(),
            workload,
            new OpenLoad.Pace(perSecond, pace.settle(), pace.seconds()),
            deadline);
    out.printf(
        "%s, %.0f/s offered: %.0f/s in time, %d refused, %d failed%n",
        door.name(), perSecond, seen.goodput(), seen.refused(), seen.failed());
    return seen;
  }
}
