package dev.weir.gateway.authorization;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The probes of one start of a node. Not thread-safe: its detector's lock guards it. */
final class ProbeHistory {
  static final Duration RETRY_INTERVAL = Duration.ofSeconds(2);
  static final Duration REPEAT_INTERVAL = Duration.ofMinutes(1);

  private @Nullable ProbeResult result;
  private long probedAtNanos;

  /** Returns what counts; null before the first probe. */
  @Nullable ProbeResult result() {
    return result;
  }

  /**
   * Adds a result. One that says less than what is known changes nothing, and a node that has asked
   * for credentials counts as asking until it restarts.
   */
  void add(ProbeResult next, long nowNanos) {
    probedAtNanos = nowNanos;
    boolean stricter = result instanceof ProbeResult.Open && next instanceof ProbeResult.Secured;
    if (stricter || !isConclusive()) {
      result = next;
    }
  }

  /** Returns whether it is time to probe the node, for the first time or again. */
  boolean isDue(long nowNanos) {
    Duration interval = isConclusive() ? REPEAT_INTERVAL : RETRY_INTERVAL;
    return result == null || nowNanos - probedAtNanos >= interval.toNanos();
  }

  private boolean isConclusive() {
    return result instanceof ProbeResult.Open || result instanceof ProbeResult.Secured;
  }
}
