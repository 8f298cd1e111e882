package dev.weir.config.policy;

import java.time.Duration;

/**
 * A duration that the gateway can determine by itself.
 *
 * @param duration zero for automatic
 */
public record AutoDuration(Duration duration) implements Comparable<AutoDuration> {
  /** Automatic. */
  public static final AutoDuration AUTO = new AutoDuration(Duration.ZERO);

  /** Returns whether the gateway determines the duration. */
  public boolean isAuto() {
    return duration.isZero();
  }

  @Override
  public int compareTo(AutoDuration other) {
    return duration.compareTo(other.duration);
  }
}
