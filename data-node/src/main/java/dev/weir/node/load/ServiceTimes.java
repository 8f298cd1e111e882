package dev.weir.node.load;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long each kind of work takes on this node: an EWMA in nanoseconds, in which the newest work
 * has a weight of 0.3, as in the service time that OpenSearch reports of its search pool. Safe on
 * any thread.
 */
final class ServiceTimes {
  private static final double NEWEST_WEIGHT = 0.3;

  /** By kind; 0 until the first work. */
  private final AtomicLongArray averages = new AtomicLongArray(WorkKind.values().length);

  /** Adds the time that some work took, in nanoseconds. */
  void add(WorkKind kind, long nanos) {
    long sample = Math.max(1, nanos);
    averages.accumulateAndGet(
        kind.ordinal(),
        sample,
        (before, added) ->
            before == 0
                ? added
                : Math.max(1, before + Math.round(NEWEST_WEIGHT * (added - before))));
  }

  /** Returns the average in nanoseconds; -1 before the first work of this kind. */
  long nanos(WorkKind kind) {
    long known = averages.get(kind.ordinal());
    return known == 0 ? -1 : known;
  }
}
