package dev.weir.config.policy;

import java.time.Duration;

/**
 * A time that may be left to be found.
 *
 * @param duration zero for one that is found
 */
public record AutoDuration(Duration duration) implements Comparable<AutoDuration> {
  /** A time that is found. */
  public static final AutoDuration AUTO = new AutoDuration(Duration.ZERO);

  /** Whether it is found. */
  public boolean isAuto() {
    return duration.isZero();
  }

  @Override
  public int compareTo(AutoDuration other) {
    return duration.compareTo(other.duration);
  }
}
