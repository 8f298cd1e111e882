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
final class WriteRetryBackoff {
  private static final int MAX_DOUBLINGS = 30;

  private final BulkPolicy.Retry policy;
  private final RandomGenerator random;
  private int attempts;

  WriteRetryBackoff(BulkPolicy.Retry policy, RandomGenerator random) {
    this.policy = policy;
    this.random = random;
  }

  /**
   * The next pause.
   *
   * @param leftNanos what is left of the time that the piece has
   * @return null when it has come back often enough, or there is no time for it
   */
  @Nullable Duration nextDelay(long leftNanos) {
    if (attempts >= policy.maxRetries()) {
      return null;
    }
    double first = (double) policy.initialBackoff().toNanos();
    double longest = (double) policy.maxBackoff().toNanos();
    double most = Math.min(first * (1L << Math.min(attempts, MAX_DOUBLINGS)), longest);
    long nanos = (long) (most * (0.5 + 0.5 * random.nextDouble()));
    if (nanos >= leftNanos) {
      return null;
    }
    attempts++;
    return Duration.ofNanos(nanos);
  }
}
