package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.operate.OperationObserver.Moment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Restarts of the nodes of a fake cluster. */
class OperationRestartTest extends RestartFixture {
  /** All changes of the cluster state that the restart of one node makes. */
  private static final List<String> CHANGES =
      List.of(
          "PUT /_cluster/settings", // the journal
          "PUT /_cluster/settings", // drain
          "POST /nodes/a/drain",
          "PUT /_cluster/settings", // run-command, with the allocation
          "PUT /_cluster/settings", // await-return
          "PUT /_cluster/settings", // allocate-all, with the allocation
          "PUT /_cluster/settings", // restore, with the limits of recoveries
          "POST /nodes/a/restore",
          "PUT /_cluster/settings"); // the end, with the weight

  @Test
  void changeTheClusterStateNineTimesForANode() throws Exception {
    operation().start(restart("a"));
    assertThat(cluster.changes).containsExactlyElementsOf(CHANGES);
    assertThat(commands).containsExactly("restart a");
    assertThat(cluster.settings).isEqualTo(before);
    assertThat(String.join("\n", lines)).contains("1 indices flushed", "has joined again");
  }

  @Test
  void changeItEightTimesForEachFurtherNode() throws Exception {
    operation().start(restart("a", "b"));
    assertThat(cluster.changes).hasSize(2 * CHANGES.size() - 1);
    assertThat(commands).containsExactly("restart a", "restart b");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
  void resumeAfterEachChange(int changes) throws Exception {
    Operation next = stopAfter(changes);
    if (changes < CHANGES.size()) {
      next.resume(
          commands.isEmpty() ? UnknownOutcomePolicy.REPEAT : UnknownOutcomePolicy.ASK, COMMAND);
    }
    assertThat(commands).containsExactly("restart a");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void abortAfterEachChange(int changes) throws Exception {
    stopAfter(changes).abort();
    assertThat(commands).hasSizeLessThanOrEqualTo(1);
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void runTheCommandOnceItsNodeHasTheOnlyCopyNoMore() throws Exception {
    Operation operation =
        operation(
            OperationStep.RUN_COMMAND,
            Moment.BEGUN,
            () -> {
              cluster.copies.put("daily", List.of("a"));
              cluster.afterChange =
                  () -> { // a copy is built once the allocation is back
                    if (cluster.settings.containsValue("all")) {
                      cluster.copies.put("daily", List.of("a", "b"));
                    }
                  };
            });
    operation.start(restart("a"));
    assertThat(lines)
        .anySatisfy(line ->
            assertThat(line)
                .contains("waiting until it is safe: 1 shards have no started copy on another node")
                .contains("such as daily[0]"));
    assertThat(cluster.changes).hasSize(CHANGES.size() + 2);
    assertThat(commands).containsExactly("restart a");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void awaitARestartAfterTheCommand() {
    Operation operation =
        cluster.operation(
            command -> 0, // the node has not left yet when it ends
            observer(OperationStep.FLUSH, Moment.DONE, () -> cluster.restart("a")));
    assertThatThrownBy(() ->
            operation.start(OperationRequest.of(OperationKind.RESTART_NODE, List.of("a"), HASTY)))
        .isInstanceOf(OperationException.class)
        .hasMessageContaining("a did not leave and join again within");
  }

  @Test
  void runNoCommandOfAnAbortedOperation() {
    Operation operation = operation(OperationStep.RUN_COMMAND, Moment.BEGUN, this::abort);
    assertThatThrownBy(() -> operation.start(restart("a")))
        .isInstanceOf(JournalTakenException.class);
    assertThat(commands).isEmpty();
    assertThat(lines).noneMatch(line -> line.contains("running the command"));
    assertThat(cluster.settings).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource({
    "allocate-primaries, none",
    "run-command, none",
    "run-command, ended",
    "allocate-all, ended",
    "restore, ended"
  })
  void resumeAJournalOfVersion3(String step, String commandState) throws Exception {
    boolean hasRun = commandState.equals("ended");
    if (hasRun) {
      cluster.restart("a");
    }
    cluster.settings.put(ClusterSettings.ALLOCATION, "primaries");
    cluster.settings.put(FakeOperatedCluster.WEIGHT + "a", "0");
    cluster.settings.put(
        JournalFormat.SETTING,
        JournalFormatTest.version3("restart-node", step, commandState, COMMAND));
    operation().resume(UnknownOutcomePolicy.ASK, COMMAND);
    assertThat(commands).hasSize(hasRun ? 0 : 1);
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void replaceAJournalOfVersion3WhenTakenOver() throws Exception {
    cluster.settings.put(
        JournalFormat.SETTING,
        JournalFormatTest.version3("restart-node", "drain", "none", COMMAND));
    OperationJournal taken = new JournalStore(cluster.api()).takeOver();
    assertThat(cluster.settings)
        .containsEntry(JournalFormat.SETTING, JournalFormat.write(taken))
        .containsEntry(JournalFormat.OWNER, taken.owner());
  }

  @Test
  void goOnWhileAGatewayIsOverloaded() throws Exception {
    operation(
            OperationStep.DRAIN, Moment.DONE, () -> cluster.nodesStatuses.addAll(List.of(503, 429)))
        .start(restart("a"));
    assertThat(commands).containsExactly("restart a");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void giveRequestsBackWhileOtherShardsMove() throws Exception {
    operation(OperationStep.ALLOCATE_ALL, Moment.BEGUN, () -> cluster.relocatingShards = 1)
        .start(restart("a"));
    assertThat(cluster.settings).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"DRAIN", "RESTORE"})
  void writeTheWeightOfANodeThatTheGatewayDoesNotKnowYet(String step) throws Exception {
    operation(OperationStep.valueOf(step), Moment.BEGUN, () -> cluster.weightStatus = 404)
        .start(restart("a"));
    assertThat(commands).containsExactly("restart a");
    assertThat(cluster.settings).isEqualTo(before);
  }

  @Test
  void sayThatTheOperationIsStillOpen() {
    Operation operation =
        operation(OperationStep.DRAIN, Moment.BEGUN, () -> cluster.weightStatus = 500);
    assertThatThrownBy(() -> operation.start(restart("a")))
        .isInstanceOf(OperationException.class)
        .hasMessageContaining("POST /nodes/a/drain got status 500")
        .hasMessageEndingWith(
            "The operation has stopped at step drain of a and is still open: go on from step drain"
                + " with --resume (POST /operations/resume), or end it with --abort (POST"
                + " /operations/abort)");
    assertThat(cluster.settings).containsKey(JournalFormat.SETTING);
  }

  @Test
  void nameTheWrittenStepFromWhichItGoesOn() {
    Operation operation =
        operation(OperationStep.AWAIT_IDLE, Moment.BEGUN, () -> cluster.nodesStatuses.add(401));
    assertThatThrownBy(() -> operation.start(restart("a")))
        .isInstanceOf(OperationException.class)
        .hasMessageContaining("at step await-idle of a")
        .hasMessageContaining("go on from step drain with --resume");
  }

  @Test
  void drainNoFurtherNodeOfATakenOperation() {
    cluster.afterChange =
        () -> {
          if (cluster.changes.getLast().equals("POST /nodes/a/drain")) {
            cluster.settings.put(JournalFormat.OWNER, "another");
          }
        };
    assertThatThrownBy(() -> operation().start(restartZone()))
        .isInstanceOf(JournalTakenException.class);
    assertThat(cluster.changes)
        .contains("POST /nodes/a/drain")
        .doesNotContain("POST /nodes/b/drain");
  }

  private void assertRefused(String reason, String... nodes) {
    assertThatThrownBy(() -> operation().start(restart(nodes)))
        .isInstanceOf(OperationException.class)
        .hasMessageStartingWith("it is not safe now")
        .hasMessageContaining(reason);
    assertThat(cluster.changes).isEmpty();
  }

  @Test
  void checkAllNodesBeforeTheFirst() {
    cluster.copies.put("single", List.of("b"));
    assertRefused("give their indices a replica (single)", "a", "b");
  }

  @Test
  void refuseToBlockWrites() {
    cluster.writeWaits.put("logs", "2");
    assertRefused("writes to logs wait for copies that are away", "a");
    cluster.writeWaits.put("logs", "all");
    assertRefused("index.write.wait_for_active_shards is all", "a");
  }

  @Test
  void refuseWhileASnapshotRuns() {
    cluster.snapshots.add("nightly");
    assertRefused("the snapshot nightly runs", "a");
  }

  @Test
  void takeTheAllocationInCapitals() throws Exception {
    cluster.settings.put(ClusterSettings.ALLOCATION, "ALL");
    operation().start(restart("a"));
    assertThat(cluster.settings).containsEntry(ClusterSettings.ALLOCATION, "ALL");
  }

  @Test
  void readWhatTheOwnerWroteBeforeATakeover() throws Exception {
    JournalStore first = new JournalStore(cluster.api());
    OperationJournal begun = OperationAbortTest.journal().ownedBy("first");
    first.begin(begun.at(OperationStep.DRAIN));
    first.write(begun, Map.of());
    OperationJournal taken = new JournalStore(cluster.api()).takeOver();
    assertThat(taken).isEqualTo(begun.ownedBy(taken.owner()));
    assertThatThrownBy(() -> first.write(begun, Map.of()))
        .isInstanceOf(JournalTakenException.class);
    assertThat(new JournalStore(cluster.api()).read()).isEqualTo(taken);
  }
}
