package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.intent.IntentLog;
import dev.weir.config.policy.DualWritesPolicy.IntentLogPolicy;
import dev.weir.config.policy.DualWritesPolicy.IntentLogPolicy.FailureMode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the recovery of a gateway's intent logs moves to the repair log. */
class IntentLogsTest extends DualWriteTestCase {
  @TempDir private Path folder;

  private static long record(IntentLog log, String id) {
    CompletableFuture<Boolean> recorded = new CompletableFuture<>();
    long number =
        log.record(
            IntentCodec.encode(
                Instant.EPOCH,
                "blue",
                "green",
                List.of(new RepairEntry.Document("logs", "logs", id, null))),
            false,
            failure -> recorded.complete(failure == null));
    assertThat(recorded.orTimeout(1, TimeUnit.MINUTES).join()).isTrue();
    return number;
  }

  private void leaveIntent(String id) {
    try (IntentLog ended = new IntentLog(folder, System::nanoTime)) {
      record(ended, id);
    }
  }

  private void awaitRecovered(int entries) {
    world.until(() -> world.counts.intentsRecovered("green") == entries);
  }

  @Test
  void moveWhatGatewaysLeaveNowAndLater() {
    leaveIntent("1");
    IntentLogPolicy policy =
        new IntentLogPolicy(folder.toString(), false, Duration.ofSeconds(1), FailureMode.CONTINUE);
    try (IntentLogs logs = new IntentLogs(world.counts, world.means(), Duration.ofMillis(10))) {
      IntentRecorder recorder = logs.recorder(policy, world.target().repairLog());
      IntentLog log = Objects.requireNonNull(recorder).log();
      awaitRecovered(1);
      leaveIntent("2");
      awaitRecovered(2);
      log.abandon(record(log, "3"));
      awaitRecovered(3);
      record(log, "4");
      world.until(() -> logs.openCount() == 1);
      assertThat(world.loggedDocuments())
          .containsExactly(
              "unknown 1 0 gateway-lost",
              "unknown 2 0 gateway-lost",
              "unknown 3 0 repair-log-failed");
    }
  }

  @Test
  void goOnAfterAnError() {
    try (IntentLog log = new IntentLog(folder, System::nanoTime)) {
      IntentLogs.recover(
          log,
          () -> {
            throw new OutOfMemoryError("a test");
          });
    }
  }
}
