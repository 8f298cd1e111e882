package dev.weir.bluegreen.shadow;

import dev.weir.model.RequestMemory;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What shadow reads need of the gateway.
 *
 * @param isBusy whether the gateway is busy with clients' requests
 * @param execution where shadow reads run
 * @param clocks the time
 * @param random from 0 (inclusive) to 1 (exclusive)
 */
public record ShadowEnvironment(
    BooleanSupplier isBusy, Execution execution, Clocks clocks, DoubleSupplier random) {

  /**
   * Where shadow reads run.
   *
   * @param eventLoops returns the event loop of the next read
   * @param memory opens the memory account of a shadow read, besides its copies
   */
  public record Execution(
      Supplier<? extends Executor> eventLoops,
      Function<RequestCopy, RequestMemory> memory,
      Scheduler scheduler) {}

  /**
   * The time.
   *
   * @param nanoTime such as {@link System#nanoTime()}
   * @param currentTimeMillis the wall clock
   */
  public record Clocks(LongSupplier nanoTime, LongSupplier currentTimeMillis) {}

  /** Schedules delayed actions. Safe on any thread. */
  @FunctionalInterface
  public interface Scheduler {
    /**
     * Runs {@code action} on the event loop {@code eventLoop} after {@code delay}, unless it is
     * cancelled.
     *
     * @return cancels the action; call it on {@code eventLoop}
     */
    Runnable schedule(Duration delay, Executor eventLoop, Runnable action);
  }
}
