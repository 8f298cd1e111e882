package dev.weir.core.coordinate;

import java.util.function.LongSupplier;

/**
 * The clock and the timer of the state machines. Safe on any thread.
 *
 * @param scheduler runs actions later
 * @param nanoClock a monotonic clock, in nanoseconds
 */
public record CoordinationTimers(DelayScheduler scheduler, LongSupplier nanoClock) {}
