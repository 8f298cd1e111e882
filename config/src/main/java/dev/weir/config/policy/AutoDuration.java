package dev.weir.config.policy;

import java.time.Duration;

/**
 * A duration that the gateway may find by itself.
 *
 * @param duration zero for auto
 */
public record AutoDuration(Duration duration) implements Comparable<AutoDuration> {
  /** The duration that the gateway finds. */
  public static final AutoDuration AUTO = new AutoDuration(Duration.ZERO);

  /** Whether the gateway finds it. */
  public boolean isAuto() {
    return duration.isZero();
  }

  @Override
  public int compareTo(AutoDuration other) {
    return duration.compareTo(other.duration);
  }
}
