package dev.weir.routing;

import org.jspecify.annotations.Nullable;

/**
 * For how long a node has answered nothing at all although something is under way. Changes under
 * the lock of its node's state, is read on any thread.
 *
 * <p>A request that is given up while its node is silent keeps it silent. An answer that somebody
 * waited for ends that. So does a late one to a request that was given up: the node stood still and
 * runs again. But one that stands still again soon after is not believed so easily: it stays silent
 * until it answers a request in time.
 */
final class Silence {
  private static final double GRACE_NANOS = 1e6;

  /** The oldest that was given up unanswered, none after it being answered. */
  private volatile @Nullable Exchange givenUp;

  /** The newest sign of life that was no answer in time. */
  private volatile long aliveNanos;

  private volatile boolean alive;

  private long stoodStillUntil;
  private boolean stoodStill;

  /**
   * A request was given up.
   *
   * @param answeredSince whether the node has answered anything after it was sent
   */
  void gaveUp(Exchange exchange, boolean answeredSince, long now) {
    boolean late = now - exchange.sentAtNanos > 2 * exchange.expectedNanos + GRACE_NANOS;
    if (!answeredSince && late && givenUp == null) {
      givenUp = exchange;
    }
  }

  /** The node answered a request that somebody waited for. */
  void answered() {
    givenUp = null;
  }

  /**
   * The node answered a request that had been given up.
   *
   * @param memoryNanos for how long it is remembered that it stood still
   */
  void answeredLate(long now, long memoryNanos) {
    if (givenUp != null) {
      boolean again = stoodStill && now - stoodStillUntil < memoryNanos;
      stoodStill = true;
      stoodStillUntil = now;
      if (again) {
        return;
      }
      givenUp = null;
    }
    aliveNanos = now;
    alive = true;
  }

  /**
   * For how much longer than expected it lasts.
   *
   * @param waiting the oldest request under way
   * @param known when the node last answered in time
   * @param since silence before this moment is the gateway's own
   */
  long nanos(@Nullable Exchange waiting, Belief known, long now, long since) {
    Exchange stuck = givenUp;
    Exchange first = stuck == null ? waiting : stuck;
    if (first == null) {
      return 0;
    }
    long from = later(first.sentAtNanos, since);
    if (known.samples() > 0) {
      from = later(from, known.repliedAtNanos());
    }
    if (alive) {
      from = later(from, aliveNanos);
    }
    return (long) Math.max(0, now - from - 2 * first.expectedNanos - GRACE_NANOS);
  }

  private static long later(long a, long b) {
    return a - b >= 0 ? a : b;
  }
}
