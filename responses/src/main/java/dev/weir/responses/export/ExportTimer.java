package dev.weir.responses.export;

import java.time.Duration;
import java.util.concurrent.Executor;

/** Runs something later. Safe on any thread. */
@FunctionalInterface
public interface ExportTimer {
  /**
   * Runs {@code action} on {@code home} once {@code delay} has passed, unless it is called off.
   *
   * @return calls it off; used on {@code home}
   */
  Runnable schedule(Duration delay, Executor home, Runnable action);
}
