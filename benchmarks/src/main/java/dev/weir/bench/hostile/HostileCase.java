package dev.weir.bench.hostile;

import dev.weir.testkit.hostile.HostileOutcome;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Function;

/**
 * Hostile clients of one kind.
 *
 * @param title for people
 * @param attack sends to an endpoint; returns the statuses that the clients got, with their counts
 * @param mustAnswer whether each client must get a response; one of a crowd may give up before
 * @param mayBeReset whether the server may close a connection without a response
 */
record HostileCase(
    String title,
    Function<InetSocketAddress, Map<Integer, Integer>> attack,
    boolean mustAnswer,
    boolean mayBeReset) {
  /**
   * Returns the number of clients that lack a response.
   *
   * @param statuses what {@link #attack} returned
   */
  int lost(Map<Integer, Integer> statuses) {
    if (!mustAnswer) {
      return 0;
    }
    int closed = mayBeReset ? 0 : statuses.getOrDefault(HostileOutcome.CLOSED, 0);
    return closed + statuses.getOrDefault(HostileOutcome.TIMED_OUT, 0);
  }
}
