package dev.weir.config.policy;

import java.time.Duration;

/**
 * A time that may be left to be found.
 *
 * @param time zero for one that is found
 */
public record AutoTime(Duration time) implements Comparable<AutoTime> {
  /** A time that is found. */
  public static final AutoTime AUTO = new AutoTime(Duration.ZERO);

  /** Whether it is found. */
  public boolean auto() {
    return time.isZero();
  }

  @Override
  public int compareTo(AutoTime other) {
    return time.compareTo(other.time);
  }
}
