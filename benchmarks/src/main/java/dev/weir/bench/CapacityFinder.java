package dev.weir.bench;

import java.io.PrintStream;
import java.net.InetSocketAddress;

/**
 * Finds the throughput of a number of clients that each wait for their response. Repeats rounds
 * until the throughput stops growing, since servers compile their code meanwhile.
 */
public final class CapacityFinder {
  private static final double MIN_GROWTH = 1.05;
  private static final int ROUNDS_WITHOUT_GROWTH = 2;
  private static final int MAX_ROUNDS = 12;

  private final PrintStream out;
  private final InetSocketAddress address;
  private final Workload workload;
  private final int clients;
  private final double seconds;

  /**
   * Prepares the search.
   *
   * @param out gets a line for each round
   * @param seconds of a round
   */
  public CapacityFinder(
      PrintStream out, InetSocketAddress address, Workload workload, int clients, double seconds) {
    this.out = out;
    this.address = address;
    this.workload = workload;
    this.clients = clients;
    this.seconds = seconds;
  }

  /** The best of all rounds, of which the last two were no better than those before. */
  public double findRate() {
    double best = 0;
    int without = 0;
    for (int i = 0; i < MAX_ROUNDS && without < ROUNDS_WITHOUT_GROWTH; i++) {
      double now = runRound();
      without = now > MIN_GROWTH * best ? 0 : without + 1;
      best = Math.max(best, now);
    }
    return best;
  }

  /** Successes a second of one more round. */
  public double runRound() {
    ClosedLoopLoad.Result seen = ClosedLoopLoad.run(address, workload, clients, seconds);
    double perSecond = (seen.requests() - seen.errors()) * 1e9 / seen.nanos();
    out.printf("  %d clients: %.0f/s%n", clients, perSecond);
    return perSecond;
  }
}
