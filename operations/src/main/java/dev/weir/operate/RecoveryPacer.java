package dev.weir.operate;

import dev.weir.client.settings.ByteSizes;
import dev.weir.client.settings.LayeredSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Raises the limits of recoveries while searches stay as fast as before, and lowers them when they
 * do not. Limits that an operator has set, by a call or in the nodes' files, stay as they are. For
 * one thread.
 */
final class RecoveryPacer {
  private record Limits(String rate, String count) {}

  /** The limits of nodes whose files say nothing else. */
  private static final Limits DEFAULTS = new Limits("40mb", "2");

  /** The first are the cluster's own. */
  private static final List<Limits> LEVELS =
      List.of(new Limits("", ""), new Limits("100mb", "4"), new Limits("200mb", "8"));

  /** Below this, a difference means nothing to a client. */
  private static final double MIN_BASELINE_MILLIS = 5;

  private final Map<String, String> previous;
  private final double maxP99Millis;
  private final boolean mayChange;
  private int level;

  /**
   * Starts with the cluster's own limits.
   *
   * @param previous the settings before the operation
   * @param now the settings in force, with defaults
   * @param baselineP99Millis of searches before the operation; negative if it is not known, and
   *     then the limits stay
   * @param maxRatio of p99 now to p99 before
   */
  RecoveryPacer(
      Map<String, String> previous,
      LayeredSettings now,
      double baselineP99Millis,
      double maxRatio) {
    this.previous = previous;
    this.maxP99Millis = Math.max(MIN_BASELINE_MILLIS, baselineP99Millis) * maxRatio;
    this.mayChange =
        baselineP99Millis >= 0
            && ByteSizes.parse(now.get(ClusterSettings.RECOVERY_RATE, DEFAULTS.rate))
                == ByteSizes.parse(DEFAULTS.rate) // nodes write the default in bytes
            && now.get(ClusterSettings.RECOVERY_COUNT, DEFAULTS.count).equals(DEFAULTS.count)
            && ClusterSettings.effective(previous, ClusterSettings.RECOVERY_RATE).isEmpty()
            && ClusterSettings.effective(previous, ClusterSettings.RECOVERY_COUNT).isEmpty();
  }

  /**
   * The change of settings after a look at p99; empty for none.
   *
   * @param p99Millis negative if it is not known, which counts as slow
   */
  Map<String, String> next(double p99Millis) {
    boolean isSlow = p99Millis < 0 || p99Millis > maxP99Millis;
    int next = isSlow ? Math.max(0, level - 1) : Math.min(LEVELS.size() - 1, level + 1);
    if (!mayChange || next == level) {
      return Map.of();
    }
    level = next;
    Map<String, String> change = new LinkedHashMap<>();
    change.putAll(
        ClusterSettings.change(previous, ClusterSettings.RECOVERY_RATE, LEVELS.get(next).rate));
    change.putAll(
        ClusterSettings.change(previous, ClusterSettings.RECOVERY_COUNT, LEVELS.get(next).count));
    return change;
  }
}
