package dev.weir.admission.queue;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What waits at one node. Guarded by the lock of its queue.
 *
 * @param <T> requests
 */
final class Crowd<T> {
  final String nodeId;

  /** Requests that need the node, or may go to it, whatever else they wait for. */
  final Backlog all = new Backlog();

  /** Those of them that were expected to wait longest for this of all nodes that they need. */
  final Backlog longest = new Backlog();

  /**
   * Lines that stand still because this node has no room, and with it no other that would do
   * instead. Each line is here at the nodes of one of its needs: until there is room for that one,
   * nobody needs to look at the others.
   */
  final Set<Line<T>> stopped = new LinkedHashSet<>();

  Crowd(String nodeId) {
    this.nodeId = nodeId;
  }

  /**
   * What one waits that comes after all others, in nanoseconds; 0 while not known. By Little's law
   * it is the same told by either number; the smaller one counts, as {@link #longest} follows late
   * when more wait longest here than did, and {@link #all} may be kept by other nodes.
   */
  double expectedNanos() {
    return Math.min(expectedNanos(longest), expectedNanos(all));
  }

  private static double expectedNanos(Backlog backlog) {
    return (backlog.waiting() + 1) * backlog.interval();
  }

  boolean idle() {
    return all.waiting() == 0;
  }
}
