package dev.weir.admission.queue;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The waiting requests for several nodes, which may exceed the limits of these once they have
 * waited long. Guarded by the lock of its queue.
 *
 * @param <T> requests
 */
final class OvercommitCandidates<T> {
  /** Those that may not yet, in order of arrival. */
  private final Set<QueuePosition<T>> candidates = new LinkedHashSet<>();

  private int overcommitting;

  /** Adds a waiting request, unless it may exceed limits already. */
  void add(QueuePosition<T> position) {
    if (position.queuedRequest.demand().needs().size() > 1 && !position.mayOvercommit) {
      candidates.add(position);
    }
  }

  /** Removes a request that waits no more. */
  void remove(QueuePosition<T> position) {
    candidates.remove(position);
    if (position.mayOvercommit) {
      position.mayOvercommit = false;
      overcommitting--;
    }
  }

  /**
   * Lets the oldest request exceed limits from now on if it has waited long; returns null if it has
   * not.
   */
  @Nullable QueuePosition<T> promoteOldest(Predicate<QueuePosition<T>> hasWaitedLong) {
    if (candidates.isEmpty()) {
      return null;
    }
    QueuePosition<T> oldest = candidates.iterator().next();
    if (!hasWaitedLong.test(oldest)) {
      return null;
    }
    candidates.remove(oldest);
    oldest.mayOvercommit = true;
    overcommitting++;
    return oldest;
  }

  /** Returns whether a waiting request may exceed limits. */
  boolean hasOvercommitting() {
    return overcommitting > 0;
  }
}
