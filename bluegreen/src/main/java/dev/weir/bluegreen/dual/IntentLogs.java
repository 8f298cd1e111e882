package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.intent.IntentLog;
import dev.weir.config.policy.DualWritesPolicy.IntentLogPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The intent logs of a gateway, one for each directory. A thread for each of them moves to the
 * repair log what ended gateways left there, and what this gateway abandoned: at once, and then
 * twice a minute. Safe on any thread.
 */
final class IntentLogs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IntentLogs.class);
  private static final Duration INTERVAL = Duration.ofSeconds(30);

  private final DualWriteCounts counts;
  private final DualWriteClocks clocks;
  private final Duration interval;
  private final Map<Path, OpenLog> logs = new ConcurrentHashMap<>();

  /** A log and the thread that looks after its directory. */
  private record OpenLog(IntentLog log, Thread recovery) {}

  IntentLogs(DualWriteCounts counts, DualWriteClocks clocks) {
    this(counts, clocks, INTERVAL);
  }

  /**
   * Creates the logs of a gateway, none of them open.
   *
   * @param interval the pause between two looks at what is to be moved
   */
  IntentLogs(DualWriteCounts counts, DualWriteClocks clocks, Duration interval) {
    this.counts = counts;
    this.clocks = clocks;
    this.interval = interval;
  }

  /**
   * Returns what records intents under a policy; null for nothing.
   *
   * @param repairLog gets what ended gateways left, when the directory is first named
   */
  @Nullable IntentRecorder recorder(IntentLogPolicy policy, RepairLog repairLog) {
    if (policy.directory().isEmpty()) {
      return null;
    }
    Path directory = Path.of(policy.directory()).toAbsolutePath().normalize();
    OpenLog known = logs.get(directory);
    OpenLog open =
        known == null ? logs.computeIfAbsent(directory, path -> open(path, repairLog)) : known;
    return new IntentRecorder(open.log(), policy, counts, clocks);
  }

  private OpenLog open(Path directory, RepairLog repairLog) {
    IntentLog log = new IntentLog(directory, clocks.nanoClock());
    return new OpenLog(
        log,
        Thread.ofPlatform()
            .daemon()
            .name("weir-intent-recovery")
            .start(() -> recoverRepeatedly(log, repairLog)));
  }

  private void recoverRepeatedly(IntentLog log, RepairLog repairLog) {
    LostIntents.Destination destination = entries -> append(repairLog, entries);
    try {
      while (!Thread.currentThread().isInterrupted()) {
        recover(log, () -> LostIntents.move(log.directory(), destination));
        recover(log, () -> LostIntents.moveAbandoned(log, destination));
        Thread.sleep(interval);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** Moves intents to the repair log. */
  interface Recovery {
    void run() throws IOException;
  }

  /** Tries to move intents; a failure leaves them to the next time. */
  static void recover(IntentLog log, Recovery recovery) {
    try {
      recovery.run();
    } catch (Throwable e) { // the thread must continue: nothing else moves intents
      if (!Thread.currentThread().isInterrupted()) {
        LOG.error(
            "can't move the intents in {} to the repair log: {}", log.directory(), e.toString());
      }
    }
  }

  private void append(RepairLog repairLog, List<RepairEntry> entries) throws IOException {
    CompletableFuture<@Nullable Void> written = new CompletableFuture<>();
    repairLog.append(
        entries,
        failure -> {
          if (failure == null) {
            written.complete(null);
          } else {
            written.completeExceptionally(failure);
          }
        });
    try {
      written.get(RepairLogAppender.TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("the repair log does not take them: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    for (RepairEntry entry : entries) {
      counts.intentRecovered(entry.targetCluster());
    }
  }

  /** The number of requests under way in all logs. */
  long openCount() {
    return logs.values().stream().mapToLong(open -> open.log().openCount()).sum();
  }

  @Override
  public void close() {
    for (OpenLog open : List.copyOf(logs.values())) {
      open.recovery().interrupt();
      open.log().close();
    }
  }
}
