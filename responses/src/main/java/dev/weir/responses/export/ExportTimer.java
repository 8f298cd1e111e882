package dev.weir.responses.export;

import java.time.Duration;
import java.util.concurrent.Executor;

/** Runs actions after a delay. Safe on any thread. */
@FunctionalInterface
public interface ExportTimer {
  /**
   * Runs {@code action} on {@code eventLoop} after {@code delay}, unless it is cancelled.
   *
   * @return cancels the action; call it on {@code eventLoop}
   */
  Runnable schedule(Duration delay, Executor eventLoop, Runnable action);
}
