package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.operate.OperationObserver.Moment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Restarts that are interrupted, taken over, not safe any more, or can't be ended. */
@Timeout(60)
class OperationFailureTest extends RestartFixture {
  @Test
  void awaitAllCommandsOfABatchWhenInterrupted() throws Exception {
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch go = new CountDownLatch(1);
    List<String> ended = new CopyOnWriteArrayList<>();
    ShellRunner runner =
        command -> {
          begun.countDown();
          awaitDespiteInterrupts(go);
          ended.add(command);
          return 0;
        };
    FutureTask<Void> task =
        new FutureTask<>(() -> {
          cluster.operation(runner, lines::add).start(restartZone());
          return null;
        });
    Thread thread = Thread.ofPlatform().start(task);
    begun.await();
    thread.interrupt();
    assertThat(thread.join(Duration.ofMillis(300))).as("the commands still run").isFalse();
    assertThat(ended).isEmpty();

    go.countDown();
    assertThatThrownBy(task::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(ended).containsExactlyInAnyOrder("restart a", "restart b");
  }

  /** Waits as a command does, which no interrupt ends. */
  private static void awaitDespiteInterrupts(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        // goes on
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "false, snapshot, the snapshot nightly runs",
    "true, snapshot, the snapshot nightly runs",
    "false, health, the cluster is yellow",
    "true, health, the cluster is yellow",
    "false, drained, node b is drained",
    "false, restored, node a gets requests again",
    "false, writes, without a writes to logs wait for copies that are away"
  })
  void lookOnceMoreBeforeTheCommand(boolean isResumed, String trouble, String problem)
      throws Exception {
    if (isResumed) {
      Operation next = stopAfter(3);
      makeUntilTheAllocationIsBack(trouble);
      next.resume(UnknownOutcomePolicy.ASK, COMMAND);
    } else {
      operation(
              OperationStep.RUN_COMMAND, Moment.BEGUN, () -> makeUntilTheAllocationIsBack(trouble))
          .start(restart("a"));
    }
    assertThat(lines).anyMatch(line -> line.contains("waiting until it is safe: " + problem));
    assertThat(commands).containsExactly("restart a");
    assertThat(cluster.settings).isEqualTo(before);
  }

  private void makeUntilTheAllocationIsBack(String trouble) {
    setTrouble(trouble, true);
    AtomicBoolean wasStopped = new AtomicBoolean(isAllocationStopped());
    cluster.afterChange =
        () -> {
          if (isAllocationStopped()) {
            wasStopped.set(true);
          } else if (wasStopped.getAndSet(false)) {
            setTrouble(trouble, false);
          }
        };
  }

  private boolean isAllocationStopped() {
    return "primaries".equals(cluster.settings.get(ClusterSettings.ALLOCATION));
  }

  private void setTrouble(String trouble, boolean isThere) {
    switch (trouble) {
      case "snapshot" -> {
        cluster.snapshots.clear();
        cluster.snapshots.addAll(isThere ? List.of("nightly") : List.of());
      }
      case "health" -> cluster.health = isThere ? "yellow" : "green";
      case "drained" -> cluster.setWeight("b", isThere ? "0" : "");
      case "restored" -> cluster.setWeight("a", isThere ? "" : "0");
      default -> cluster.writeWaits.put("logs", isThere ? "2" : "1");
    }
  }

  @Test
  void stopWhatIsNotSafeAtTheGreenTimeout() {
    OperationOptions options =
        new OperationOptions(
            COMMAND,
            Duration.ofMinutes(1),
            Duration.ofMinutes(1),
            Duration.ZERO,
            Duration.ZERO,
            1.3,
            true);
    Operation operation =
        operation(OperationStep.RUN_COMMAND, Moment.BEGUN, () -> cluster.snapshots.add("nightly"));
    assertThatThrownBy(() ->
            operation.start(OperationRequest.of(OperationKind.RESTART_NODE, List.of("a"), options)))
        .isInstanceOf(OperationException.class)
        .hasMessageContaining("the command for a was not run, and the allocation is as before")
        .hasMessageContaining("the snapshot nightly runs")
        .hasMessageContaining("go on from step drain with --resume");
    assertThat(isAllocationStopped()).isFalse();
    assertThat(commands).isEmpty();
  }

  @Test
  void giveTheAllocationBackIfTheLastCheckFails() throws Exception {
    Operation operation =
        operation(OperationStep.RUN_COMMAND, Moment.BEGUN, () -> cluster.nodesStatuses.add(401));
    assertThatThrownBy(() -> operation.start(restart("a")))
        .isInstanceOf(OperationException.class)
        .hasMessageContaining("GET /nodes of a gateway's admin port got status 401")
        .hasMessageContaining("go on from step drain with --resume");
    assertThat(isAllocationStopped()).isFalse();
    assertThat(commands).isEmpty();

    operation().resume(UnknownOutcomePolicy.ASK, COMMAND);
    assertThat(commands).containsExactly("restart a");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void restartTheRestOfABatchWhileCopiesOfTheFirstNodeAreAway() throws Exception {
    stopAfter(5, restartZone());
    cluster.restart("a");
    cluster.health = "yellow";
    operation(OperationStep.AWAIT_RETURN, Moment.BEFORE, () -> cluster.health = "green")
        .resume(UnknownOutcomePolicy.REPEAT, COMMAND);
    assertThat(lines).noneMatch(line -> line.contains("waiting until"));
    assertThat(commands).containsExactly("restart b");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void keepTheAllocationStoppedWhileANodeOfTheBatchIsAway() throws Exception {
    stopAfter(5, restartZone());
    cluster.away.add("a");
    cluster.health = "yellow";
    List<String> allocations = new ArrayList<>();
    operation(
            OperationStep.FLUSH,
            Moment.BEFORE,
            () -> {
              allocations.add(cluster.settings.get(ClusterSettings.ALLOCATION));
              cluster.away.clear();
              cluster.restart("a");
              cluster.health = "green";
            })
        .resume(UnknownOutcomePolicy.REPEAT, COMMAND);
    assertThat(allocations).containsExactly("primaries");
    assertThat(commands).containsExactly("restart b");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void awaitANodeThatIsRestartedByHandAfterTheTimeIsOver() throws Exception {
    assertThatThrownBy(() ->
            operation()
                .start(
                    OperationRequest.of(
                        OperationKind.RESTART_NODE, List.of("a"), HASTY.withCommand(""))))
        .isInstanceOf(OperationException.class)
        .hasMessageContaining(
            "a has not left: --resume --command-ended, then restart it"
                + " (POST /operations/resume?command=ended)");
    operation(
            OperationStep.AWAIT_RETURN,
            Moment.BEFORE,
            () -> {
              assertThat(cluster.settings).containsEntry(ClusterSettings.ALLOCATION, "primaries");
              cluster.restart("a");
            })
        .resume(UnknownOutcomePolicy.SKIP, "");
    assertThat(cluster.settings).isEqualTo(before);
  }

  /** An operation whose command has ended, and whose node has not left in time. */
  private void startWithoutARestart() {
    Operation operation =
        cluster.operation(
            command -> {
              commands.add(command);
              return 0;
            },
            lines::add);
    assertThatThrownBy(() ->
            operation.start(OperationRequest.of(OperationKind.RESTART_NODE, List.of("a"), HASTY)))
        .isInstanceOf(OperationException.class)
        .hasMessageContaining("a has not left: --resume --command-ended, then restart it")
        .hasMessageContaining("go on from step run-command with --resume");
    assertThat(cluster.settings).containsEntry(ClusterSettings.ALLOCATION, "all");
  }

  @Test
  void repeatTheCommandOfANodeThatHasNotLeft() throws Exception {
    startWithoutARestart();
    operation().resume(UnknownOutcomePolicy.REPEAT, COMMAND);
    assertThat(commands).containsExactly("restart a", "restart a");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void drainANodeAgainWhoseCommandIsRepeated() throws Exception {
    startWithoutARestart();
    cluster.setWeight("a", "");
    cluster
        .operation(
            command -> {
              assertThat(cluster.settings).containsEntry(FakeOperatedCluster.WEIGHT + "a", "0");
              return run(command);
            },
            lines::add)
        .resume(UnknownOutcomePolicy.REPEAT, COMMAND);
    assertThat(commands).containsExactly("restart a", "restart a");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void stopTheAllocationAgainForANodeThatIsAway() throws Exception {
    startWithoutARestart();
    cluster.away.add("a");
    operation(
            OperationStep.AWAIT_RETURN,
            Moment.BEFORE,
            () -> {
              assertThat(isAllocationStopped()).isTrue();
              cluster.restart("a");
              cluster.away.clear();
            })
        .resume(UnknownOutcomePolicy.ASK, COMMAND);
    assertThat(commands).containsExactly("restart a");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void stopTheAllocationAgainForANodeThatIsStillToLeave() throws Exception {
    startWithoutARestart();
    operation(
            OperationStep.AWAIT_RETURN,
            Moment.BEFORE,
            () -> {
              assertThat(isAllocationStopped()).isTrue();
              cluster.restart("a");
            })
        .resume(UnknownOutcomePolicy.SKIP, COMMAND);
    assertThat(commands).containsExactly("restart a");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void undoADrainThatCameAfterTheAbort() {
    cluster.rejectedDrains.add(this::abort);
    assertThatThrownBy(() -> operation().start(restart("a")))
        .isInstanceOf(JournalTakenException.class);
    assertThat(cluster.changes).contains("POST /nodes/a/drain");
    assertThat(commands).isEmpty();
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void undoADrainThatCameAfterTheAbortAndSeemedToFail() {
    cluster.rejection = 500;
    cluster.rejectedDrains.add(() -> {
      abort();
      cluster.setWeight("a", "0");
    });
    assertThatThrownBy(() -> operation().start(restart("a")))
        .isInstanceOf(JournalTakenException.class)
        .satisfies(taken ->
            assertThat(taken.getSuppressed())
                .anyMatch(
                    failure -> failure.toString().contains("POST /nodes/a/drain got status 500")));
    assertThat(commands).isEmpty();
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void repeatNoWriteOfAJournalThatWasAbortedMeanwhile() {
    Operation operation =
        operation(
            OperationStep.RUN_COMMAND,
            Moment.BEFORE,
            () -> cluster.rejectedSettings.add(this::abort));
    assertThatThrownBy(() -> operation.start(restart("a")))
        .isInstanceOf(JournalTakenException.class);
    assertThat(commands).isEmpty();
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void replaceNoJournalOfAnotherOperationByARepetition() {
    String other = JournalFormat.write(OperationAbortTest.journal());
    Operation operation =
        operation(
            OperationStep.CHECK,
            Moment.BEFORE,
            () ->
                cluster.rejectedSettings.add(
                    () -> cluster.settings.put(JournalFormat.SETTING, other)));
    assertThatThrownBy(() -> operation.start(restart("a")))
        .isInstanceOf(JournalTakenException.class)
        .hasMessageStartingWith("another operation has begun");
    assertThat(cluster.settings).containsEntry(JournalFormat.SETTING, other);
  }

  @Test
  void endThoughTheRemovalOfTheJournalGotNoAnswer() throws Exception {
    operation(
            OperationStep.RESTORE,
            Moment.DONE,
            () ->
                cluster.rejectedSettings.add(() -> {
                  cluster.settings.clear();
                  cluster.settings.putAll(before);
                }))
        .start(restart("a"));
    assertThat(commands).containsExactly("restart a");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void sayThatTheOperationIsOpenIfItCannotBeRolledBack() {
    Operation operation =
        cluster.operation(
            command -> {
              cluster.isStopped = true;
              return 3;
            },
            lines::add);
    assertThatThrownBy(() -> operation.start(restart("a")))
        .isInstanceOf(OperationException.class)
        .hasMessageStartingWith("the command for a ended with status 3; ")
        .hasMessageContaining("is still open: go on from step run-command with --resume");
  }

  @Test
  void sayThatAnAbortIsToBeRepeated() {
    Operation operation =
        cluster.operation(
            command -> {
              cluster.weightStatus = 500;
              return 3;
            },
            lines::add);
    assertThatThrownBy(() -> operation.start(restart("a")))
        .isInstanceOf(OperationException.class)
        .hasMessageStartingWith("the command for a ended with status 3; some settings or weights")
        .hasMessageEndingWith("is still open: end it with --abort (POST /operations/abort)");
  }

  @Test
  void sayThatANewOperationIsOpen() {
    cluster.afterChange = () -> cluster.isStopped = true;
    assertThatThrownBy(() -> operation().start(restart("a")))
        .isInstanceOf(OperationException.class)
        .hasMessageContaining("is still open: go on from step check with --resume");
    assertThat(cluster.settings).containsKey(JournalFormat.SETTING);
  }
}
