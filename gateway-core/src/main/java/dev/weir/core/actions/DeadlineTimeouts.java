package dev.weir.core.actions;

import dev.weir.model.Deadline;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.opensearch.common.unit.TimeValue;

/** How long nodes may take for what a request with a deadline asks of them. */
final class DeadlineTimeouts {
  /** Of what is left, for the shards: the rest is for the fetching and the way back. */
  private static final double SHARDS_SHARE = 0.9;

  /**
   * So many binary digits of a shard's timeout count: shards cache answers by the whole request.
   */
  private static final int SIGNIFICANT_BITS = 5;

  private DeadlineTimeouts() {}

  /** The request's own time, or what is left of its deadline where that is less. */
  static TimeValue capTimeout(TimeValue own, Deadline deadline, LongSupplier nanoClock) {
    if (!deadline.isSet()) {
      return own;
    }
    long millis = remainingMillis(deadline, nanoClock);
    return own.millis() >= 0 && own.millis() <= millis ? own : TimeValue.timeValueMillis(millis);
  }

  /** A timeout with which shards answer before the deadline passes, milliseconds; 1 or more. */
  static long shardTimeoutMillis(Deadline deadline, LongSupplier nanoClock) {
    long share = Math.max(1, (long) (remainingMillis(deadline, nanoClock) * SHARDS_SHARE));
    int dropped = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(share) - SIGNIFICANT_BITS);
    return share >> dropped << dropped;
  }

  private static long remainingMillis(Deadline deadline, LongSupplier nanoClock) {
    long nanos = deadline.remainingNanos(nanoClock.getAsLong());
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos));
  }
}
