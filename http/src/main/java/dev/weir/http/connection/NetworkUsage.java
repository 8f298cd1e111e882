package dev.weir.http.connection;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts how much of something each client network uses. Holds an entry for a network only while it
 * uses something. Safe on any thread.
 */
public final class NetworkUsage {
  private final ConcurrentHashMap<ClientNetwork, Long> used = new ConcurrentHashMap<>();

  /** Returns what a network uses. */
  public long of(ClientNetwork network) {
    return used.getOrDefault(network, 0L);
  }

  /**
   * Adds unless the network would use more than {@code max}.
   *
   * @return whether it was added; the caller then subtracts it once
   */
  public boolean tryAdd(ClientNetwork network, long amount, long max) {
    boolean[] added = new boolean[1];
    used.compute(
        network,
        (_, before) -> {
          long now = (before == null ? 0 : before) + amount;
          added[0] = now <= max;
          return added[0] ? Long.valueOf(now) : before;
        });
    return added[0];
  }

  /** Adds even beyond a bound. */
  public void add(ClientNetwork network, long amount) {
    used.merge(network, amount, Long::sum);
  }

  public void subtract(ClientNetwork network, long amount) {
    used.computeIfPresent(network, (_, before) -> before == amount ? null : before - amount);
  }
}
