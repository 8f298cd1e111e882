package dev.weir.bluegreen.dual;

import dev.weir.core.coordinate.Delays;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * What repeating writes takes of the world. Safe on any thread.
 *
 * @param delays waits
 * @param nanoClock a monotonic clock, nanoseconds
 * @param clock the time of day, milliseconds since 1970
 */
public record DualMeans(Delays delays, LongSupplier nanoClock, LongSupplier clock) {
  /** The time of day. */
  public Instant now() {
    return Instant.ofEpochMilli(clock.getAsLong());
  }
}
