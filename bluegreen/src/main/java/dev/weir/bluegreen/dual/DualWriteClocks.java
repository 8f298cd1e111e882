package dev.weir.bluegreen.dual;

import dev.weir.core.coordinate.DelayScheduler;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * The clocks and timers of dual writes. Safe on any thread.
 *
 * @param delays schedules delayed actions
 * @param nanoClock a monotonic clock, nanoseconds
 * @param currentTimeMillis the wall clock, milliseconds since 1970
 */
public record DualWriteClocks(
    DelayScheduler delays, LongSupplier nanoClock, LongSupplier currentTimeMillis) {
  /** The wall clock time. */
  public Instant now() {
    return Instant.ofEpochMilli(currentTimeMillis.getAsLong());
  }
}
