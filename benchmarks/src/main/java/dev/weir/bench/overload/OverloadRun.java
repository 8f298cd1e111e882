package dev.weir.bench.overload;

import dev.weir.bench.OpenLoopLoad;
import java.io.PrintStream;
import java.util.List;

/**
 * Sends more load than the cluster can serve, at several levels, to each endpoint in turn. The
 * speed of a shared host varies from minute to minute, and what an endpoint can serve depends on
 * what a request costs it. The run therefore takes the levels from each endpoint's own capacity,
 * compares its goodput with that capacity right before and after, and its latencies with those of
 * the baseline level in the same turn; the median of several turns counts.
 */
final class OverloadRun {
  private static final int TURNS = 3;

  /** The levels of load; the baseline comes first in each turn. */
  private static final List<Double> LEVELS = List.of(OverloadTable.BASELINE_LEVEL, 1.5, 3.0);

  private final PrintStream out;
  private final CpuUsageSampler cores;
  private final Load load;

  /** Sends the load. */
  interface Load {
    /** Returns what an endpoint can serve now, in requests a second. Blocks for a round. */
    double measureCapacity(OverloadEndpoint endpoint);

    /** Sends requests to an endpoint at a rate. Blocks for a round. */
    OpenLoopLoad.Result send(OverloadEndpoint endpoint, double perSecond);
  }

  /**
   * Creates a run.
   *
   * @param cores measures the CPU usage of the processes
   */
  OverloadRun(PrintStream out, CpuUsageSampler cores, Load load) {
    this.out = out;
    this.cores = cores;
    this.load = load;
  }

  /** Overloads all endpoints in several turns. Blocks. */
  OverloadTable run(List<OverloadEndpoint> endpoints) {
    OverloadTable table = new OverloadTable(out);
    for (int turn = 1; turn <= TURNS; turn++) {
      // Every other turn runs in reverse, so that a machine that slows down affects all alike.
      for (OverloadEndpoint endpoint : turn % 2 == 1 ? endpoints : endpoints.reversed()) {
        runTurn(turn, endpoint, table);
      }
    }
    return table;
  }

  private void runTurn(int turn, OverloadEndpoint endpoint, OverloadTable table) {
    double before = peak(endpoint);
    for (double level : LEVELS) {
      cores.start();
      OpenLoopLoad.Result seen = load.send(endpoint, level * before);
      CpuUsageSampler.CpuUsage used = cores.usageSinceStart();
      double after = peak(endpoint);
      table.add(new OverloadTable.Row(turn, level, endpoint, (before + after) / 2, seen, used));
      before = after;
    }
  }

  private double peak(OverloadEndpoint endpoint) {
    cores.start();
    double perSecond = load.measureCapacity(endpoint);
    out.println("  " + endpoint.name() + ", cores: " + cores.usageSinceStart());
    return perSecond;
  }
}
