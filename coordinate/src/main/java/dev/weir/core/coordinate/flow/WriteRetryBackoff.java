package dev.weir.core.coordinate.flow;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.protocol.Backoff;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The pauses before one shard request of a write is sent again. Not safe on several threads. */
public final class WriteRetryBackoff {
  private final Settings settings;
  private final RandomGenerator random;
  private int retries;

  /** What a policy allows. Immutable. */
  record Settings(int maxRetries, Backoff backoff) {
    static Settings of(BulkPolicy.Retry policy) {
      return new Settings(
          policy.maxRetries(), new Backoff(policy.initialBackoff(), 2, policy.maxBackoff()));
    }
  }

  WriteRetryBackoff(Settings settings, RandomGenerator random) {
    this.settings = settings;
    this.random = random;
  }

  /**
   * The next pause.
   *
   * @param remainingNanos of the time that the shard request has
   * @return null when no retry is left, or the pause would take all of the time
   */
  public @Nullable Duration nextDelay(long remainingNanos) {
    if (retries >= settings.maxRetries()) {
      return null;
    }
    long nanos = settings.backoff().jitteredDelayNanos(retries + 1, random);
    if (nanos >= remainingNanos) {
      return null;
    }
    retries++;
    return Duration.ofNanos(nanos);
  }
}
