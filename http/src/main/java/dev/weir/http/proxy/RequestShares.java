package dev.weir.http.proxy;

import dev.weir.http.connection.ClientNetwork;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests that use one event loop's connections to one node, and those that wait for one.
 * Confined to that event loop. Bounds three shares, so that none of these keeps other requests out:
 *
 * <ul>
 *   <li>the connections that one client's requests use;
 *   <li>the connections of requests whose bodies still arrive, which slow clients hold for long;
 *   <li>the requests of one client that wait.
 * </ul>
 */
final class RequestShares<R extends RequestShares.Member> {
  /** A request that shares are counted for. */
  interface Member {
    /** Returns whose share the request uses; null for the gateway's own. */
    @Nullable ClientNetwork client();

    /** Returns whether the body was not complete when the request began. */
    boolean isStreaming();
  }

  private final ProxyOptions options;
  private final ArrayDeque<R> waiting = new ArrayDeque<>();

  /** The requests that use a connection or open one. */
  private final Set<R> using = new HashSet<>();

  private final Map<ClientNetwork, Integer> usedByClient = new HashMap<>();
  private final Map<ClientNetwork, Integer> waitingByClient = new HashMap<>();
  private int streaming;

  RequestShares(ProxyOptions options) {
    this.options = options;
  }

  /** Lets a request use a connection; returns false when a share is used up. */
  boolean tryEnter(R request) {
    if (request.isStreaming() && streaming >= options.maxStreamingConnections()) {
      return false;
    }
    if (!tryAdd(usedByClient, request.client(), options.maxConnectionsPerClient())) {
      return false;
    }
    using.add(request);
    streaming += request.isStreaming() ? 1 : 0;
    return true;
  }

  /** Ends a request's use of a connection. */
  void leave(R request) {
    if (using.remove(request)) {
      subtract(usedByClient, request.client());
      streaming -= request.isStreaming() ? 1 : 0;
    }
  }

  /** Returns the number of requests that wait for a connection. */
  int waiting() {
    return waiting.size();
  }

  /** Lets a request wait for a connection; returns false when its client's share is used up. */
  boolean tryAwait(R request) {
    if (!tryAdd(waitingByClient, request.client(), options.maxWaitingPerClient())) {
      return false;
    }
    waiting.add(request);
    return true;
  }

  /** Removes a request that no longer waits; returns whether it did. */
  boolean removeWaiting(R request) {
    boolean removed = waiting.remove(request);
    if (removed) {
      subtract(waitingByClient, request.client());
    }
    return removed;
  }

  /**
   * Takes the request that has waited longest, of those that may use a connection; null for none.
   */
  @Nullable R pollWaiting() {
    for (Iterator<R> all = waiting.iterator(); all.hasNext(); ) {
      R next = all.next();
      if (tryEnter(next)) {
        all.remove();
        subtract(waitingByClient, next.client());
        return next;
      }
    }
    return null;
  }

  /** Counts one more of a client, which is null for the gateway's own requests. */
  private static boolean tryAdd(
      Map<ClientNetwork, Integer> counts, @Nullable ClientNetwork client, int max) {
    if (client == null) {
      return true;
    }
    int before = counts.getOrDefault(client, 0);
    if (before >= max) {
      return false;
    }
    counts.put(client, before + 1);
    return true;
  }

  private static void subtract(Map<ClientNetwork, Integer> counts, @Nullable ClientNetwork client) {
    if (client != null) {
      counts.computeIfPresent(client, (_, before) -> before == 1 ? null : before - 1);
    }
  }
}
