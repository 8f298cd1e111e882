package dev.weir.http.connection;

import java.util.HashMap;

/**
 * Remembers for a moment which searches for an idle connection found none: a flood of connections
 * that are all refused must not search all others each time. One for each event loop, and confined
 * to it. All times are in nanoseconds, by the server's clock.
 */
final class FruitlessSearches {
  /** Short beside the second that a connection has to be idle. */
  private static final long MEMORY_NANOS = 50_000_000L;

  /** The clients none of whose own connections was idle, with the time of the search. */
  private final HashMap<ClientNetwork, Long> byClient = new HashMap<>();

  private long leastConnections = Long.MAX_VALUE;
  private long leastConnectionsNanos;

  /** Returns whether none of a client's own connections was idle. */
  boolean contains(ClientNetwork client, long nowNanos) {
    Long searched = byClient.get(client);
    return searched != null && isRecent(searched, nowNanos);
  }

  /** Remembers that none of a client's own connections is idle. */
  void add(ClientNetwork client, long nowNanos) {
    byClient.values().removeIf(searched -> !isRecent(searched, nowNanos));
    byClient.put(client, nowNanos);
  }

  /** Returns whether no connection of a client with at least so many connections was idle. */
  boolean contains(long connections, long nowNanos) {
    return connections >= leastConnections && isRecent(leastConnectionsNanos, nowNanos);
  }

  /** Remembers that no connection of a client with at least so many connections is idle. */
  void add(long connections, long nowNanos) {
    leastConnections = connections;
    leastConnectionsNanos = nowNanos;
  }

  private static boolean isRecent(long searchedNanos, long nowNanos) {
    return nowNanos - searchedNanos < MEMORY_NANOS;
  }
}
