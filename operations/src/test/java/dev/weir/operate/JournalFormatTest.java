package dev.weir.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.Sha256;
import dev.weir.operate.NodeRecord.CommandState;
import dev.weir.testkit.junit.TestSeed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JournalFormatTest {
  private static final String COMMAND = "ssh {host} 'a \\ \"b\" ${c}'";

  private final Random random = TestSeed.random(JournalFormatTest.class);

  private OperationJournal journal() {
    OperationKind kind = OperationKind.values()[random.nextInt(OperationKind.values().length)];
    return new OperationJournal(
        "id-" + random.nextInt(),
        "owner",
        kind,
        Instant.ofEpochMilli(random.nextLong(1L << 42)),
        List.of(List.of("a", "b"), List.of("c \"quoted\" \u00e4")),
        random.nextInt(3),
        kind.steps().get(random.nextInt(kind.steps().size())),
        Map.of(
            "a",
            new NodeRecord(0.25, "x", CommandState.BEGUN),
            "b",
            new NodeRecord(1, "", CommandState.NONE)),
        Map.of("persistent." + ClusterSettings.ALLOCATION, "all", "transient.y", ""),
        random.nextBoolean()
            ? ZoneRecord.NONE
            : new ZoneRecord("zone", "a", Map.of("a", "1.0", "b", "0.5")),
        OperationJournal.hash(COMMAND),
        new OperationOptions(
            COMMAND,
            Duration.ofSeconds(random.nextInt(1000)),
            Duration.ofMillis(7),
            Duration.ofHours(4),
            Duration.ZERO,
            1.3,
            random.nextBoolean()));
  }

  @Test
  void readWhatWasWritten() throws OperationException {
    for (int i = 0; i < 50; i++) {
      OperationJournal journal = journal();
      assertThat(JournalFormat.read(JournalFormat.write(journal)))
          .as("the owner has a setting of its own")
          .isEqualTo(journal.ownedBy(""));
    }
  }

  @Test
  void keepOnlyTheHashOfTheCommand() {
    OperationJournal journal = journal();
    assertThat(JournalFormat.write(journal))
        .doesNotContain("ssh")
        .contains("\"command_sha256\":\"" + Sha256.hex(COMMAND) + "\"");
    assertThat(journal.options().command()).isEmpty();
    assertThat(OperationJournal.hash("")).isEmpty();
  }

  /** The journal of the restart of node a, as version 3 wrote it. */
  static String version3(String kind, String step, String commandState, String command) {
    return """
    {"version":3,"id":"id","owner":"old","operation":"%s",
     "started_at":"2026-01-31T12:00:00Z","batches":[["a"]],"done":0,"step":"%s",
     "nodes":{"a":{"weight":1.0,"ephemeral_id":"a0","command":"%s"}},
     "previous_settings":{"persistent.cluster.routing.allocation.enable":"all"},
     "zone":{"attribute":"","value":"","previous_weights":{}},
     "command_sha256":"%s",
     "options":{"drain_timeout":"PT1M","return_timeout":"PT10M","green_timeout":"PT4H",
      "ramp":"PT1S","max_p99_ratio":1.3,"zone_weights":true}}
    """
        .formatted(kind, step, commandState, OperationJournal.hash(command));
  }

  @ParameterizedTest
  @CsvSource({
    "restart-node, drain, DRAIN",
    "restart-node, allocate-primaries, FLUSH",
    "restart-node, run-command, RUN_COMMAND",
    "restart-node, allocate-all, AWAIT_RETURN",
    "restart-node, restore, AWAIT_GREEN",
    "window, restore, RESTORE",
    "window, abort, ABORT"
  })
  void repeatChangesThatVersion3MayLack(String kind, String step, OperationStep expected)
      throws OperationException {
    OperationJournal journal = JournalFormat.read(version3(kind, step, "none", COMMAND));
    assertThat(journal.step()).isEqualTo(expected);
    assertThat(journal.owner()).isEmpty();
    assertThat(journal.nodes()).isEqualTo(Map.of("a", new NodeRecord(1, "a0", CommandState.NONE)));
    assertThat(JournalFormat.read(JournalFormat.write(journal))).isEqualTo(journal);
  }

  @Test
  void assumeThatVersion3HasAskedForTheRestart() throws OperationException {
    assertThat(JournalFormat.read(version3("restart-node", "run-command", "none", "")).nodes())
        .isEqualTo(Map.of("a", new NodeRecord(1, "a0", CommandState.BEGUN)));
  }

  @Test
  void refuseJournalOfAnotherVersion() {
    assertThatThrownBy(() -> JournalFormat.read("{\"version\":1}"))
        .isInstanceOf(OperationException.class)
        .hasMessageContaining("got version 1")
        .hasMessageContaining("the version of Weir that began it");
    assertThatThrownBy(() -> JournalFormat.read("nonsense"))
        .isInstanceOf(OperationException.class)
        .hasMessageContaining("expected: a JSON object");
    assertThatThrownBy(() -> JournalFormat.read("{\"version\":4,\"operation\":\"window\"}"))
        .isInstanceOf(OperationException.class);
  }

  @Test
  void listWhatAnOperationAndAStepMayBe() {
    assertThatThrownBy(() -> OperationKind.of("reboot"))
        .isInstanceOf(OperationException.class)
        .hasMessage(
            "got operation reboot (expected: one of restart-node, rolling-restart, window,"
                + " move-manager)");
    assertThatThrownBy(() -> OperationStep.of("nap"))
        .isInstanceOf(OperationException.class)
        .hasMessageStartingWith("got step nap (expected: one of check, move-manager, drain,")
        .hasMessageEndingWith("await-green, restore, abort)");
  }

  @Test
  void beginTheNextBatchWithoutWhatIsKnownOfNodes() {
    OperationJournal journal = journal();
    OperationJournal next = journal.next();
    assertThat(next.done()).isEqualTo(journal.done() + 1);
    assertThat(next.step()).isEqualTo(OperationStep.CHECK);
    assertThat(next.nodes()).isEmpty();
    assertThat(next.previousSettings()).isEqualTo(journal.previousSettings());
  }
}
