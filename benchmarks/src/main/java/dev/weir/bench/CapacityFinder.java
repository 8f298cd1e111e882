package dev.weir.bench;

import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Finds the throughput of a number of clients in a closed loop. Repeats rounds until the throughput
 * stops growing, because the servers still compile their code in the first rounds.
 */
public final class CapacityFinder {
  private static final double MIN_GROWTH = 1.05;
  private static final int ROUNDS_WITHOUT_GROWTH = 2;
  private static final int MAX_ROUNDS = 12;

  private final PrintStream out;
  private final List<InetSocketAddress> addresses;
  private final Workload workload;
  private final int clients;
  private final double seconds;

  /**
   * Creates a finder.
   *
   * @param out receives a line for each round
   * @param seconds the length of a round
   */
  public CapacityFinder(
      PrintStream out, InetSocketAddress address, Workload workload, int clients, double seconds) {
    this(out, List.of(address), workload, clients, seconds);
  }

  /**
   * Creates a finder.
   *
   * @param out receives a line for each round
   * @param addresses clients are spread over them
   * @param seconds the length of a round
   */
  public CapacityFinder(
      PrintStream out,
      List<InetSocketAddress> addresses,
      Workload workload,
      int clients,
      double seconds) {
    this.out = out;
    this.addresses = List.copyOf(addresses);
    this.workload = workload;
    this.clients = clients;
    this.seconds = seconds;
  }

  /**
   * Runs rounds until two in a row are no better than the best before; returns the best, in
   * successes a second.
   */
  public double findRate() {
    double best = 0;
    int roundsWithoutGrowth = 0;
    for (int i = 0; i < MAX_ROUNDS && roundsWithoutGrowth < ROUNDS_WITHOUT_GROWTH; i++) {
      double now = runRound();
      roundsWithoutGrowth = now > MIN_GROWTH * best ? 0 : roundsWithoutGrowth + 1;
      best = Math.max(best, now);
    }
    return best;
  }

  /** Runs one more round; returns successes a second. */
  public double runRound() {
    ClosedLoopLoad.Result seen = ClosedLoopLoad.run(addresses, workload, clients, seconds);
    double perSecond = (seen.requests() - seen.errors()) * 1e9 / seen.nanos();
    out.printf("  %d clients: %.0f/s%n", clients, perSecond);
    return perSecond;
  }
}
