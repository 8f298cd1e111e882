package dev.weir.core.actions.deadline;

import dev.weir.model.Deadline;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.opensearch.common.unit.TimeValue;

/** Derives the timeouts of nodes from a request's deadline. */
public final class DeadlineTimeouts {
  /** The shards' share of the remaining time; the rest is for the fetch and the way back. */
  private static final double SHARDS_SHARE = 0.9;

  /**
   * Significant binary digits of a shard's timeout: shards cache results by the whole request, so
   * that the values must repeat.
   */
  private static final int SIGNIFICANT_BITS = 5;

  /**
   * The longest remaining time with which shards get a timeout, in nanoseconds. A search that may
   * take longer ends with all hits, or with an error: so the default deadline changes no search
   * that a node would carry out.
   */
  private static final long MAX_SHARD_TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(5);

  private DeadlineTimeouts() {}

  /** The request's own timeout, or the remaining time of its deadline where that is less. */
  public static TimeValue capTimeout(TimeValue own, Deadline deadline, LongSupplier nanoClock) {
    if (!deadline.isSet()) {
      return own;
    }
    long millis = remainingMillis(deadline, nanoClock);
    return own.millis() >= 0 && own.millis() <= millis ? own : TimeValue.timeValueMillis(millis);
  }

  /** Returns whether shards get a timeout, so that they answer before the deadline. */
  public static boolean hasShardTimeout(Deadline deadline, LongSupplier nanoClock) {
    return deadline.isSet()
        && deadline.remainingNanos(nanoClock.getAsLong()) <= MAX_SHARD_TIMEOUT_NANOS;
  }

  /** A timeout with which shards answer before the deadline, in milliseconds; 1 or more. */
  public static long shardTimeoutMillis(Deadline deadline, LongSupplier nanoClock) {
    long share = Math.max(1, (long) (remainingMillis(deadline, nanoClock) * SHARDS_SHARE));
    int dropped = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(share) - SIGNIFICANT_BITS);
    return share >> dropped << dropped;
  }

  private static long remainingMillis(Deadline deadline, LongSupplier nanoClock) {
    long nanos = deadline.remainingNanos(nanoClock.getAsLong());
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos));
  }
}
