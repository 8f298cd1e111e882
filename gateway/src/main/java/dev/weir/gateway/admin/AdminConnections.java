package dev.weir.gateway.admin;

import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * The open connections of one port, at most a fixed number: to accept one more, the connection that
 * has waited longest for a request gives way, so that silent or slow connections keep nobody out.
 * Confined to the event loop of the port.
 */
final class AdminConnections {
  private final int maxConnections;

  /** Without a complete request, in the order in which they began to wait. */
  private final SequencedSet<AdminConnection> waiting = new LinkedHashSet<>();

  /** With a request whose response is not sent yet, in the order of the requests. */
  private final SequencedSet<AdminConnection> responding = new LinkedHashSet<>();

  AdminConnections(int maxConnections) {
    this.maxConnections = maxConnections;
  }

  void add(AdminConnection opened) {
    if (waiting.size() + responding.size() >= maxConnections) {
      closeOldest(waiting.isEmpty() ? responding : waiting);
    }
    waiting.add(opened);
  }

  private static void closeOldest(SequencedSet<AdminConnection> connections) {
    connections.removeFirst().close();
  }

  void onRequest(AdminConnection connection) {
    if (waiting.remove(connection)) {
      responding.add(connection);
    }
  }

  void onResponse(AdminConnection connection) {
    if (responding.remove(connection)) {
      waiting.add(connection);
    }
  }

  void remove(AdminConnection closed) {
    waiting.remove(closed);
    responding.remove(closed);
  }
}
