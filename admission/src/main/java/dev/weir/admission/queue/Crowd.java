package dev.weir.admission.queue;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What waits at one node. Guarded by the lock of its queue.
 *
 * @param <T> requests
 */
final class Crowd<T> {
  private static final double GAIN = 0.05;

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

  /** How many wait in these lines. */
  int stoppedPlaces;

  /** As many as stood still lately when one more asked. */
  private double stoppedLately;

  Crowd(String nodeId) {
    this.nodeId = nodeId;
  }

  /**
   * What one waits that comes after all others, in nanoseconds; 0 while not known. By Little's law
   * both numbers tell the same where nodes are alike, and {@link #all} with less noise; where few
   * of all wait longest here, others keep them, and only {@link #longest} tells.
   *
   * @param needs how many needs it has, any of which may be the one to wait for
   */
  double expectedNanos(int needs) {
    boolean alike = 2 * needs * (longest.waiting() + 1) >= all.waiting();
    return expectedNanos(alike ? all : longest);
  }

  private static double expectedNanos(Backlog backlog) {
    return (backlog.waiting() + 1) * backlog.interval();
  }

  /** One more asks. */
  void asked(long now) {
    all.asked(now);
    stoppedLately += GAIN * (stoppedPlaces - stoppedLately);
  }

  double stoppedLately() {
    return stoppedLately;
  }

  boolean idle() {
    return all.waiting() == 0;
  }
}
