package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.dual.RepairEntry.Cause;
import dev.weir.bluegreen.dual.RepairEntry.Op;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.action.index.IndexAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.common.xcontent.XContentType;

class RepairRunnerTest {
  private static final Instant TIME = Instant.parse("2026-05-06T07:08:09Z");

  @TempDir private Path directory;
  private DualWriteFixture world;
  private final List<String> said = new ArrayList<>();

  @BeforeEach
  void start() {
    world = new DualWriteFixture(directory);
  }

  @AfterEach
  void stop() {
    world.close();
  }

  private static RepairEntry entry(Op op, String id, long version) {
    return new RepairEntry.DocumentEntry(
        TIME,
        "blue",
        "green",
        op,
        new RepairEntry.Document("logs", "logs", id, null),
        version,
        Cause.ofGateway("timeout", "\"quoted\"\nlines"));
  }

  private static RepairEntry request(String uri) {
    return RepairEntry.RequestEntry.of(
        TIME, "blue", "green", "POST", uri, Cause.ofGateway("not-replicated", "a node did it"));
  }

  private void log(RepairEntry... entries) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    world
        .target()
        .repairLog()
        .append(
            List.of(entries),
            failure -> {
              assertThat(failure).isNull();
              done.countDown();
            });
    assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
  }

  private boolean repair() throws Exception {
    return repair(false, false, false, Duration.ofSeconds(1));
  }

  private boolean repair(boolean dry, boolean fromWins, boolean dismiss, Duration patience)
      throws Exception {
    said.clear();
    return RepairFixture.run(
        world,
        directory,
        new RepairRunner.Options(
            entry -> entry.targetCluster().equals("green"), dry, fromWins, dismiss, patience),
        said);
  }

  @Test
  void linesSayAllOfAnEntry() {
    RepairEntry document =
        new RepairEntry.DocumentEntry(
            TIME,
            "blue",
            "green",
            Op.UPDATE,
            new RepairEntry.Document("logs", "logs-000001", "ü\"1", "r"),
            7,
            new Cause(429, "rejected", "full"));
    for (RepairEntry each :
        List.of(
            document,
            new RepairEntry.DocumentEntry(
                TIME,
                "blue",
                "green",
                Op.INDEX,
                new RepairEntry.Document("logs", "logs-1", "3", null, "r", false),
                1,
                Cause.ofGateway("timeout", "")),
            entry(Op.UNKNOWN, "2", 0),
            request("/logs/_delete_by_query?q=secret"))) {
      String line = new String(each.toLine(), StandardCharsets.UTF_8);
      assertThat(line).endsWith("\n").doesNotContain("secret");
      assertThat(line.strip()).doesNotContain("\n");
      assertThat(RepairEntry.parse(line)).isEqualTo(each);
    }
    assertThat(new String(document.toLine(), StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"time\":\"2026-05-06T07:08:09Z\",\"from\":\"blue\",\"to\":\"green\",\"op\":\"update\",\"index\":\"logs\",\"concrete\":\"logs-000001\",\"id\":\"ü\\\"1\",\"routing\":\"r\",\"version\":7,\"why\":{\"status\":429,\"type\":\"rejected\",\"reason\":\"full\"}}\n");
  }

  @Test
  void writeExistingDocumentsAndDeleteMissingOnes() throws Exception {
    world.blue.put("logs", "1", 5, "{\"v\":5}");
    world.green.put("logs", "1", 2, "{\"v\":2}");
    world.blue.put("logs", "2", 7, null);
    world.green.put("logs", "2", 6, "{\"v\":6}");
    world.blue.put("logs", "3", 1, "{\"v\":1}");
    log(entry(Op.INDEX, "1", 4), entry(Op.DELETE, "2", 7), entry(Op.UPDATE, "3", 1));
    log(entry(Op.INDEX, "1", 3), entry(Op.INDEX, "4", 1));
    assertThat(repair()).isTrue();
    assertThat(world.green.all()).isEqualTo(world.blue.all()).hasSize(2);
    assertThat(said.getFirst()).endsWith("5 entries, 4 documents");
    assertThat(said.get(1))
        .contains(
            "2 written, 1 deleted, 1 the same already, 0 with a higher version, 0 not found, 0"
                + " failed");
  }

  @Test
  void applyEachEntryOnce() throws Exception {
    world.blue.put("logs", "1", 1, "{}");
    log(entry(Op.INDEX, "1", 1));
    assertThat(repair()).isTrue();
    world.green.put("logs", "1", 1, null);
    world.green.forgetDeleted();
    assertThat(repair()).isTrue();
    assertThat(said).hasSize(1).first().asString().endsWith("nothing to repair");
    assertThat(world.green.all()).isEmpty();
    log(entry(Op.INDEX, "1", 1)); // to the same file, after what is done of it
    assertThat(repair()).isTrue();
    assertThat(world.green.all()).hasSize(1);
    assertThat(said.getFirst()).contains("1 entries");
  }

  @Test
  void keepFailedEntriesForTheNextRun() throws Exception {
    world.blue.put("logs", "1", 1, "{}");
    world.blue.put("logs", "2", 1, "{}");
    world.green.refusing(
        write -> write.id().equals("2") ? new IllegalArgumentException("no such field") : null);
    log(entry(Op.INDEX, "1", 1), entry(Op.INDEX, "2", 1));
    assertThat(repair()).isFalse();
    assertThat(said).contains("  logs/2: no such field");
    world.green.refusing(write -> null);
    assertThat(repair()).isTrue();
    assertThat(world.green.all()).hasSize(2);
  }

  @Test
  void writesNothingInADryRun() throws Exception {
    world.blue.put("logs", "1", 2, "{}");
    world.green.put("logs", "2", 2, "{}");
    log(entry(Op.INDEX, "1", 1), entry(Op.DELETE, "2", 3));
    assertThat(repair(true, false, false, Duration.ofSeconds(1))).isFalse();
    assertThat(said.get(1))
        .startsWith("  blue to green: would write 1, would delete 1, 0 the same already")
        .endsWith(", of 2");
    assertThat(said).noneMatch(line -> line.contains("written") || line.contains("deleted"));
    assertThat(world.green.all()).containsOnlyKeys("logs/2");
    assertThat(repair()).isTrue();
  }

  /** A dry run tells what the repair does, also with documents that it leaves. */
  @Test
  void predictWhatARepairDoes() throws Exception {
    world.blue.put("logs", "1", 1, "{\"v\":1}");
    world.green.put("logs", "1", 1, "{\"v\":2}");
    world.green.put("logs", "2", 9, "{\"v\":9}");
    world.blue.put("logs", "3", 3, "{\"v\":3}");
    world.green.put("logs", "3", 4, "{\"v\":4}");
    log(entry(Op.INDEX, "1", 1), entry(Op.DELETE, "2", 3), entry(Op.INDEX, "3", 3));
    assertThat(repair(true, false, false, Duration.ofSeconds(1))).isFalse();
    assertThat(said.get(1)).contains("would write 1, would delete 0").contains("2 with a higher");
    assertThat(repair(true, true, false, Duration.ofSeconds(1))).isFalse();
    assertThat(said.get(1)).contains("would write 2, would delete 1").contains("0 with a higher");
    assertThat(repair()).isFalse();
    assertThat(said.get(1)).contains("1 written, 0 deleted").contains("2 with a higher");
  }

  @Test
  void showsRequestsUntilTheyAreDismissed() throws Exception {
    log(request("/logs/_delete_by_query?q=x"));
    assertThat(repair()).isFalse();
    assertThat(said).anyMatch(line -> line.contains("POST /logs/_delete_by_query"));
    assertThat(repair(false, false, true, Duration.ofSeconds(1))).isTrue();
    assertThat(repair()).isTrue();
  }

  @Test
  void leavesAHigherVersionUnlessTheFirstClusterWins() throws Exception {
    world.blue.put("logs", "1", 1, "{\"v\":1}");
    world.green.put("logs", "1", 9, "{\"v\":9}");
    world.green.put("logs", "2", 9, "{\"v\":9}");
    log(entry(Op.INDEX, "1", 1), entry(Op.DELETE, "2", 3));
    assertThat(repair()).isFalse();
    assertThat(said.get(1)).contains("2 with a higher version");
    assertThat(world.green.all()).hasSize(2);
    Thread forgetting =
        Thread.ofVirtual()
            .start(() -> {
              while (!world.green.all().isEmpty()) {
                Thread.onSpinWait();
              }
              world.green.forgetDeleted();
            });
    assertThat(repair(false, true, false, Duration.ofSeconds(20))).isTrue();
    forgetting.join();
    assertThat(world.green.all()).isEqualTo(world.blue.all());
  }

  @Test
  void waitsUntilADeletionIsForgotten() throws Exception {
    world.blue.put("logs", "1", 1, "{}");
    world.green.put("logs", "1", 9, null);
    log(entry(Op.INDEX, "1", 1));
    assertThat(repair(false, false, false, Duration.ofMillis(500))).isFalse();
    assertThat(said).anyMatch(line -> line.contains("index.gc_deletes"));
    world.green.forgetDeleted();
    assertThat(repair()).isTrue();
  }

  @Test
  void skipEntriesForAnotherCluster() throws Exception {
    RepairEntry other =
        new RepairEntry.DocumentEntry(
            TIME,
            "green",
            "blue",
            Op.INDEX,
            new RepairEntry.Document("logs", "logs", "1", null),
            1,
            Cause.ofGateway("timeout", ""));
    world.green.put("logs", "1", 1, "{}");
    log(other);
    assertThat(repair()).isFalse();
    assertThat(said).contains("  1 entries between other clusters are left");
    assertThat(world.blue.all()).isEmpty();
  }

  @Test
  void readsUpToTheLastWholeLine() throws Exception {
    world.blue.put("logs", "1", 1, "{}");
    log(entry(Op.INDEX, "1", 1));
    Path file = RepairLogFile.listPending(directory).getFirst().path();
    Files.writeString(file, "{\"time\":\"20", StandardOpenOption.APPEND);
    assertThat(repair()).isTrue();
    assertThat(repair()).isTrue();
    Files.writeString(file, "26\"}\n", StandardOpenOption.APPEND);
    assertThat(repair()).isFalse();
    assertThat(said).anyMatch(line -> line.contains("unreadable"));
  }

  @Test
  void beginsAnotherFileWhenOneIsFull() throws IOException {
    RollingRepairLogFile files = new RollingRepairLogFile(directory, TIME, 1, 100);
    for (int i = 0; i < 3; i++) {
      files.write(List.of(entry(Op.INDEX, "1", i).toLine()));
    }
    files.close();
    try (var all = Files.list(directory)) {
      assertThat(all.map(path -> path.getFileName().toString()).sorted())
          .containsExactly(
              "repair-20260506T070809Z-00000001-0001.jsonl",
              "repair-20260506T070809Z-00000001-0002.jsonl",
              "repair-20260506T070809Z-00000001-0003.jsonl");
    }
  }

  @Test
  void saysThatItIsClosed() {
    world.close();
    List<Object> failures = new ArrayList<>();
    world.target().repairLog().append(List.of(entry(Op.INDEX, "1", 1)), failures::add);
    assertThat(failures).hasSize(1).first().isInstanceOf(IOException.class);
  }

  @Test
  void repairAFailedWrite() throws Exception {
    world.reachable(false);
    world.answered(
        IndexAction.INSTANCE,
        new IndexRequest("logs").id("1").source("{\"v\":1}", XContentType.JSON));
    assertThat(repair()).isTrue();
    assertThat(world.green.all()).isEqualTo(world.blue.all()).hasSize(1);
  }

  @Test
  void deleteNothingInAMissingIndex() throws Exception {
    world.green.put("logs", "1", 1, "{}");
    world.green.put("logs", "2", 1, "{}");
    world.blue.missing("logs");
    log(entry(Op.INDEX, "1", 1), entry(Op.DELETE, "2", 2));
    assertThat(repair()).isFalse();
    assertThat(world.green.all()).hasSize(2);
    assertThat(said).anyMatch(line -> line.contains("2 not found"));
  }

  @Test
  void saysThatItCantLookRatherThanThatThereIsNothing() throws Exception {
    RepairEntry several =
        new RepairEntry.DocumentEntry(
            TIME,
            "blue",
            "green",
            Op.DELETE,
            new RepairEntry.Document("all", "all-1", "1", null),
            2,
            Cause.ofGateway("timeout", ""));
    world.green.failingToRead("all");
    world.green.missing("all-1");
    log(several);
    assertThat(repair()).isFalse();
    assertThat(said).contains("  all/1: it has several indices");
  }

  @Test
  void takesAllFilesTogether() throws Exception {
    world.green.put("logs", "1", 5, "{}");
    world.blue.put("logs", "2", 2, "{\"v\":2}");
    RollingRepairLogFile files = new RollingRepairLogFile(directory, TIME, 1, 100);
    for (RepairEntry each :
        List.of(
            entry(Op.UNKNOWN, "1", 0), // may be the deletion of any version
            entry(Op.INDEX, "1", 3),
            entry(Op.INDEX, "2", 2),
            entry(Op.INDEX, "2", 1))) {
      files.write(List.of(each.toLine()));
    }
    files.close();
    long before = world.green.calls().size();
    assertThat(repair()).isTrue();
    assertThat(world.green.all()).isEqualTo(world.blue.all()).containsOnlyKeys("logs/2");
    assertThat(
            world.green.calls().stream()
                .skip(before)
                .filter(call -> call.action().contains("bulk")))
        .hasSize(2);
    assertThat(said).anyMatch(line -> line.equals("  1 as in a file before"));
    assertThat(RepairLogFile.listPending(directory)).isEmpty();
  }

  /** A document's entries are in one pass, whichever files they are in. */
  @Test
  void repairMoreDocumentsThanAPassHolds() throws Exception {
    int documents = 40;
    RollingRepairLogFile files = new RollingRepairLogFile(directory, TIME, 1, 2000);
    for (int version = 1; version <= 2; version++) {
      for (int id = 0; id < documents; id++) {
        files.write(List.of(entry(Op.INDEX, "" + id, version).toLine()));
      }
    }
    files.close();
    for (int id = 0; id < documents; id++) {
      world.blue.put("logs", "" + id, 2, "{\"v\":2}");
    }
    RepairRunner.Options options =
        new RepairRunner.Options(entry -> true, false, false, false, Duration.ofSeconds(1));

    assertThat(RepairFixture.run(world, directory, options, said, 16)).isTrue();

    assertThat(said).contains("pass 1 of 5", "pass 5 of 5");
    assertThat(world.green.all()).isEqualTo(world.blue.all()).hasSize(documents);
    assertThat(world.green.calls().stream().filter(call -> call.action().contains("bulk")))
        .as("writes")
        .hasSize(documents);
    assertThat(RepairLogFile.listPending(directory)).isEmpty();
  }

  @Test
  void reportALineBeyondTheBound() throws Exception {
    world.blue.put("logs", "1", 1, "{}");
    log(entry(Op.INDEX, "1", 1));
    Path file = RepairLogFile.listPending(directory).getFirst().path();
    Files.writeString(file, "x".repeat(3 << 20) + "\n", StandardOpenOption.APPEND);
    Files.write(file, entry(Op.INDEX, "1", 1).toLine(), StandardOpenOption.APPEND);
    assertThat(repair()).isFalse();
    assertThat(said.getFirst()).endsWith("2 entries, 1 documents");
    assertThat(said)
        .filteredOn(line -> line.contains("unreadable"))
        .hasSize(1)
        .allMatch(line -> line.length() < 2 << 20);
    assertThat(world.green.all()).hasSize(1);
  }
}
