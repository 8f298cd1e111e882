package dev.weir.core.coordinate;

import dev.weir.config.policy.BulkPolicy;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The pauses before one piece is sent again: each twice as long as the one before, up to a bound,
 * and anything from half of that to all of it, so that what was refused at once does not come back
 * at once. Not safe on several threads.
 */
final class Pauses {
  private static final int MOST_DOUBLINGS = 30;

  private final BulkPolicy.Retry policy;
  private final RandomGenerator random;
  private int given;

  Pauses(BulkPolicy.Retry policy, RandomGenerator random) {
    this.policy = policy;
    this.random = random;
  }

  /**
   * The next pause.
   *
   * @param leftNanos what is left of the time that the piece has
   * @return null when it has come back often enough, or there is no time for it
   */
  @Nullable Duration next(long leftNanos) {
    if (given >= policy.most()) {
      return null;
    }
    double first = (double) policy.firstPause().toNanos();
    double longest = (double) policy.longestPause().toNanos();
    double most = Math.min(first * (1L << Math.min(given, MOST_DOUBLINGS)), longest);
    long nanos = (long) (most * (0.5 + 0.5 * random.nextDouble()));
    if (nanos >= leftNanos) {
      return null;
    }
    given++;
    return Duration.ofNanos(nanos);
  }
}
