package dev.weir.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for something to come about, and fails when it does not. */
public final class Await {
  /** Longer than a cluster takes to drop a frozen node, on a slow machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final long PAUSE_NANOS = 20_000_000;

  private Await() {}

  /**
   * The first value like this.
   *
   * @param what for the message
   */
  public static <T> T untilValue(String what, Supplier<T> source, Predicate<T> like) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    T value = source.get();
    while (!like.test(value) && System.nanoTime() < deadline) {
      LockSupport.parkNanos(PAUSE_NANOS);
      value = source.get();
    }
    assertThat(value).as(what).matches(like);
    return value;
  }
}
