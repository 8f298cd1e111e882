package dev.weir.bluegreen.dual;

import dev.weir.core.coordinate.DelayScheduler;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * What repeating writes takes of the world. Safe on any thread.
 *
 * @param delays waits
 * @param nanoClock a monotonic clock, nanoseconds
 * @param currentTimeMillis the time of day, milliseconds since 1970
 */
public record DualWriteClocks(
    DelayScheduler delays, LongSupplier nanoClock, LongSupplier currentTimeMillis) {
  /** The time of day. */
  public Instant now() {
    return Instant.ofEpochMilli(currentTimeMillis.getAsLong());
  }
}
