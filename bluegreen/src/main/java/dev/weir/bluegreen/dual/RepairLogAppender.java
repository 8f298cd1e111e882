package dev.weir.bluegreen.dual;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends missed writes to a repair log, waits for the disk, and counts the outcome. Safe on any
 * thread.
 */
record RepairLogAppender(DualWriteCounts counts, DualWriteClocks clocks) {
  private static final Logger LOG = LoggerFactory.getLogger(RepairLogAppender.class);

  /** How long a response waits for the log; a disk that hangs must not hold all clients. */
  static final Duration TIMEOUT = Duration.ofSeconds(30);

  /**
   * Appends entries.
   *
   * @param executor runs {@code onDone}
   * @param onDone called once: with true when the entries are on disk, with false when the log has
   *     failed, or after the timeout
   */
  void append(
      DualWriteTarget target,
      List<? extends RepairEntry> entries,
      Executor executor,
      Consumer<Boolean> onDone) {
    AtomicBoolean finished = new AtomicBoolean();
    Runnable stopTimer =
        clocks
            .delays()
            .scheduleCancellable(
                TIMEOUT,
                Runnable::run,
                () -> {
                  if (finished.compareAndSet(false, true)) {
                    LOG.error("the repair log has not answered for {}", TIMEOUT);
                    counts.unlogged(target.targetCluster(), entries.size());
                    executor.execute(() -> onDone.accept(false));
                  }
                });
    target
        .repairLog()
        .append(
            entries,
            failure -> {
              if (finished.compareAndSet(false, true)) {
                stopTimer.run();
                if (failure == null) {
                  counts.logged(target.targetCluster(), entries.size());
                } else {
                  counts.unlogged(target.targetCluster(), entries.size());
                }
                executor.execute(() -> onDone.accept(failure == null));
              }
            });
  }
}
