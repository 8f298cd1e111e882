package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.dual.RepairEntry.Cause;
import dev.weir.bluegreen.dual.RepairEntry.Document;
import dev.weir.bluegreen.dual.RepairEntry.Op;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.action.bulk.BulkRequest;

/** A log after a cut-over and back, with entries from each cluster to the other. */
class BidirectionalRepairTest {
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

  private static boolean isToGreen(RepairEntry entry) {
    return entry.targetCluster().equals("green");
  }

  private static RepairEntry toGreen(int second, Op op, String id, long version) {
    return entry(second, "blue", "green", op, new Document("logs", "logs", id, null), version);
  }

  private static RepairEntry toBlue(int second, Op op, String id, long version) {
    return entry(second, "green", "blue", op, new Document("logs", "logs", id, null), version);
  }

  private static RepairEntry entry(
      int second, String from, String to, Op op, Document document, long version) {
    return new RepairEntry.DocumentEntry(
        TIME.plusSeconds(second),
        from,
        to,
        op,
        document,
        version,
        Cause.ofGateway("timeout", "late"));
  }

  private static RepairEntry.Document place(String inTarget, String inSource) {
    return new Document(inTarget, inSource, "1", null);
  }

  /** Green calls an index b that blue calls a, and a what blue calls b. */
  @Test
  void keepDocumentsOfSwappedIndexNamesApart() throws Exception {
    world.blue.put("a", "1", 2, "{\"v\":\"blue a\"}");
    world.blue.put("b", "1", 5, "{\"v\":\"blue b\"}");
    world.green.put("a", "1", 4, "{\"v\":\"old\"}");
    log(
        entry(1, "blue", "green", Op.INDEX, place("b", "a"), 2),
        entry(2, "blue", "green", Op.INDEX, place("a", "b"), 5));
    assertThat(RepairFixture.run(world, directory, swapped(), said)).isTrue();
    assertThat(world.green.all())
        .containsEntry("b/1", "2:{\"v\":\"blue a\"}")
        .containsEntry("a/1", "5:{\"v\":\"blue b\"}")
        .hasSize(2);
  }

  /** The entries look like those of an alias, which name one document in both directions. */
  @Test
  void keepSwappedIndexNamesApartInBothDirections() throws Exception {
    world.blue.put("a", "1", 2, "{\"v\":\"blue a\"}");
    world.green.put("a", "1", 3, "{\"v\":\"green a\"}");
    log(
        entry(1, "blue", "green", Op.INDEX, place("b", "a"), 2),
        entry(2, "green", "blue", Op.INDEX, place("b", "a"), 3));
    assertThat(RepairFixture.run(world, directory, swapped(), said)).isTrue();
    assertThat(world.green.all()).containsEntry("b/1", "2:{\"v\":\"blue a\"}");
    assertThat(world.blue.all()).containsEntry("b/1", "3:{\"v\":\"green a\"}");
  }

  private static RepairRunner.Options swapped() {
    return new RepairRunner.Options(
        entry -> true,
        false,
        false,
        false,
        Duration.ofMillis(500),
        Double.POSITIVE_INFINITY,
        name -> name.equals("a") || name.equals("b"),
        name -> false);
  }

  /** A write that may have been a deletion never deletes what clients may have written since. */
  @Test
  void leaveADocumentOfAClusterWithTrafficThatTheOtherMayHaveDeleted() throws Exception {
    world.green.put("logs", "1", 5, "{}");
    log(toGreen(1, Op.UNKNOWN, "1", 0));
    for (boolean dryRun : new boolean[] {true, false}) {
      said.clear();
      RepairRunner.Options options =
          new RepairRunner.Options(
              entry -> true,
              dryRun,
              false,
              false,
              Duration.ofMillis(500),
              Double.POSITIVE_INFINITY,
              name -> false,
              name -> name.equals("green"));
      assertThat(RepairFixture.run(world, directory, options, said)).isFalse();
      assertThat(said).anyMatch(line -> line.contains("with a higher version"));
      assertThat(world.green.all()).containsKey("logs/1");
    }
    assertThat(repair()).isTrue(); // green gets no requests of its own
    assertThat(world.green.all()).isEmpty();
  }

  private void log(RepairEntry... entries) throws Exception {
    RollingRepairLogFile file =
        new RollingRepairLogFile(directory, TIME, 1, RollingRepairLogFile.MAX_FILE_BYTES);
    for (RepairEntry entry : entries) {
      file.write(List.of(entry.toLine()));
    }
    file.close();
  }

  private boolean repair() throws Exception {
    return repair(entry -> true, false, false);
  }

  private boolean repair(Predicate<RepairEntry> filter, boolean dryRun, boolean fromWins)
      throws Exception {
    said.clear();
    RepairRunner.Options options =
        new RepairRunner.Options(filter, dryRun, fromWins, false, Duration.ofMillis(500));
    return RepairFixture.run(world, directory, options, said);
  }

  private void assertBoth(String id, String document) {
    assertThat(world.blue.all()).containsEntry("logs/" + id, document);
    assertThat(world.green.all()).containsEntry("logs/" + id, document);
  }

  @Test
  void repairBothDirectionsInOneRun() throws Exception {
    world.blue.put("logs", "1", 1, "{\"v\":1}");
    world.green.put("logs", "2", 4, "{\"v\":4}");
    world.blue.put("logs", "2", 3, "{\"v\":3}");
    log(toGreen(1, Op.INDEX, "1", 1), toBlue(2, Op.INDEX, "2", 4));
    assertThat(repair(entry -> true, true, false)).isFalse();
    assertThat(said.get(1)).startsWith("  blue to green: would write 1, ").endsWith(", of 1");
    assertThat(said.get(2)).startsWith("  green to blue: would write 1, ").endsWith(", of 1");
    assertThat(repair()).isTrue();
    assertThat(said.get(1)).startsWith("  blue to green: 1 written, 0 deleted, ");
    assertThat(said.get(2)).startsWith("  green to blue: 1 written, 0 deleted, ");
    assertBoth("1", "1:{\"v\":1}");
    assertBoth("2", "4:{\"v\":4}");
    assertThat(RepairLogFile.listPending(directory)).isEmpty();
  }

  /** The order of the entries in the log must not matter. */
  @Test
  void copyTheHigherVersion() throws Exception {
    world.blue.put("logs", "1", 6, "{\"at\":\"blue\"}");
    world.green.put("logs", "1", 7, "{\"at\":\"green\"}");
    world.blue.put("logs", "2", 9, "{\"at\":\"blue\"}");
    world.green.put("logs", "2", 8, "{\"at\":\"green\"}");
    log(
        toGreen(1, Op.INDEX, "1", 6),
        toBlue(2, Op.INDEX, "1", 7),
        toGreen(3, Op.INDEX, "2", 9),
        toBlue(2, Op.INDEX, "2", 8));
    assertThat(repair()).isTrue();
    assertBoth("1", "7:{\"at\":\"green\"}");
    assertBoth("2", "9:{\"at\":\"blue\"}");
  }

  @Test
  void copyTheNewestOfEqualVersions() throws Exception {
    world.blue.put("logs", "1", 6, "{\"at\":\"blue\"}");
    world.green.put("logs", "1", 6, "{\"at\":\"green\"}");
    world.blue.put("logs", "2", 6, "{\"at\":\"blue\"}");
    world.green.put("logs", "2", 6, "{\"at\":\"green\"}");
    log(
        toBlue(2, Op.INDEX, "1", 6),
        toGreen(1, Op.UPDATE, "1", 6),
        toBlue(2, Op.INDEX, "2", 6),
        toGreen(3, Op.INDEX, "2", 6));
    assertThat(repair()).isTrue();
    assertBoth("1", "6:{\"at\":\"green\"}");
    assertBoth("2", "6:{\"at\":\"blue\"}");
  }

  @Test
  void writeNothingWhereBothHaveTheSame() throws Exception {
    world.blue.put("logs", "1", 6, "{}");
    world.green.put("logs", "1", 6, "{}");
    log(toGreen(1, Op.INDEX, "1", 6), toBlue(2, Op.INDEX, "1", 6));
    assertThat(repair()).isTrue();
    assertThat(writes()).isZero();
  }

  private long writes() {
    return world.blue.calls().stream().filter(call -> call.request() instanceof BulkRequest).count()
        + world.green.calls().stream()
            .filter(call -> call.request() instanceof BulkRequest)
            .count();
  }

  /** Blue's deletion is the older one: it must not take green's later document with it. */
  @Test
  void keepADocumentWrittenAfterADeletion() throws Exception {
    world.blue.put("logs", "1", 6, null);
    world.green.put("logs", "1", 6, "{\"later\":true}");
    log(toGreen(1, Op.DELETE, "1", 6), toBlue(2, Op.INDEX, "1", 6));
    assertThat(repair()).isTrue();
    assertBoth("1", "6:{\"later\":true}");
  }

  @Test
  void doNotUndoALaterDeletion() throws Exception {
    world.blue.put("logs", "1", 7, null);
    world.green.put("logs", "1", 6, "{}");
    world.green.put("logs", "2", 9, null);
    world.blue.put("logs", "2", 8, "{}");
    log(
        toBlue(1, Op.INDEX, "1", 6),
        toGreen(2, Op.DELETE, "1", 7),
        toGreen(1, Op.INDEX, "2", 8),
        toBlue(2, Op.DELETE, "2", 9));
    assertThat(repair()).isTrue();
    assertThat(world.blue.all()).isEmpty();
    assertThat(world.green.all()).isEmpty();
  }

  /**
   * Green went on from version 5 after the cut-over while blue had 7: neither includes the other.
   */
  @Test
  void listCrossedWritesAndLeaveThem() throws Exception {
    world.blue.put("logs", "1", 7, "{\"at\":\"blue\"}");
    world.green.put("logs", "1", 6, "{\"at\":\"green\"}");
    log(toGreen(1, Op.INDEX, "1", 7), toBlue(2, Op.INDEX, "1", 6));
    assertThat(repair()).isFalse();
    assertThat(writes()).isZero();
    assertThat(said).anyMatch(line -> line.contains("1 written in both"));
    assertThat(said)
        .contains("  logs/1: was written in blue and in green without the other, left as it is");
    assertThat(repair(BidirectionalRepairTest::isToGreen, false, true))
        .as("green's entry is left")
        .isFalse();
    assertBoth("1", "7:{\"at\":\"blue\"}");
    assertThat(repair()).isTrue();
    assertBoth("1", "7:{\"at\":\"blue\"}");
  }

  /** The last logged write is in both, and blue went on from it. */
  @Test
  void copyAWriteThatTheLogDoesNotName() throws Exception {
    world.blue.put("logs", "1", 9, "{\"at\":\"blue\"}");
    world.green.put("logs", "1", 6, "{\"at\":\"green\"}");
    log(toGreen(1, Op.INDEX, "1", 5), toBlue(2, Op.INDEX, "1", 6));
    assertThat(repair()).isTrue();
    assertBoth("1", "9:{\"at\":\"blue\"}");
  }

  /** After a deletion was forgotten, versions begin again: a higher one may be an older write. */
  @Test
  void leaveADocumentWhoseVersionsBeganAgain() throws Exception {
    world.blue.put("logs", "1", 9, "{\"at\":\"blue\"}");
    world.green.put("logs", "1", 1, "{\"at\":\"green\"}");
    log(
        toGreen(1, Op.INDEX, "1", 9),
        toBlue(2, Op.INDEX, "1", 10),
        toBlue(3, Op.DELETE, "1", 11),
        toBlue(4, Op.INDEX, "1", 1));
    assertThat(repair()).isFalse();
    assertThat(world.green.all()).containsEntry("logs/1", "1:{\"at\":\"green\"}");
    assertThat(world.blue.all()).containsEntry("logs/1", "9:{\"at\":\"blue\"}");
  }

  @Test
  void leaveADocumentThatMayBeElsewhere() throws Exception {
    Document somewhere = new Document("logs", "logs", "1", null, null, false);
    log(
        entry(1, "blue", "green", Op.INDEX, somewhere, 3),
        entry(2, "green", "blue", Op.INDEX, somewhere, 4));
    assertThat(repair()).isFalse();
  }

  @Test
  void leaveTheOtherDirectionsLaterWriteAlone() throws Exception {
    world.blue.put("logs", "1", 6, null);
    world.green.put("logs", "1", 6, "{\"later\":true}");
    log(toGreen(1, Op.DELETE, "1", 6), toBlue(2, Op.INDEX, "1", 6));
    assertThat(repair(BidirectionalRepairTest::isToGreen, false, false)).isFalse();
    assertThat(world.green.all()).containsKey("logs/1");
    assertThat(said).anyMatch(line -> line.contains("was written later in green"));
  }

  /** A write without a response proves nothing. */
  @Test
  void trustAnAcknowledgedWriteMoreThanAnUnknownOne() throws Exception {
    world.blue.put("logs", "1", 6, "{\"at\":\"blue\"}");
    world.green.put("logs", "1", 6, "{\"at\":\"green\"}");
    log(toGreen(1, Op.INDEX, "1", 6), toBlue(2, Op.UNKNOWN, "1", 0));
    assertThat(repair()).isTrue();
    assertBoth("1", "6:{\"at\":\"blue\"}");
  }

  @Test
  void findTheDocumentBehindRenamedIndices() throws Exception {
    Document there = new Document("logs-v2", "logs", "1", null);
    Document back = new Document("logs", "logs-v2", "1", null);
    world.blue.put("logs", "1", 6, null);
    world.green.put("logs-v2", "1", 6, "{\"later\":true}");
    log(
        entry(1, "blue", "green", Op.DELETE, there, 6),
        entry(2, "green", "blue", Op.INDEX, back, 6));
    assertThat(repair()).isTrue();
    assertThat(world.blue.all()).containsEntry("logs/1", "6:{\"later\":true}");
    assertThat(world.green.all()).containsEntry("logs-v2/1", "6:{\"later\":true}");
  }

  /** An alias and its index may be the same document; only a higher version is certain. */
  @Test
  void deleteNothingThatHasTwoNames() throws Exception {
    world.green.put("logs-1", "1", 6, "{\"later\":true}");
    world.green.alias("logs", "logs-1");
    log(
        entry(1, "blue", "green", Op.DELETE, new Document("logs", "logs-1", "1", null), 6),
        entry(2, "green", "blue", Op.INDEX, new Document("logs-1", "logs-1", "1", null), 6));
    assertThat(repair()).isFalse();
    assertThat(world.green.all()).containsEntry("logs-1/1", "6:{\"later\":true}");
    assertThat(world.blue.all()).isEmpty();
  }

  @Test
  void keepBothDirectionsInOnePass() throws Exception {
    List<RepairEntry> entries = new ArrayList<>();
    for (int id = 0; id < 20; id++) {
      world.blue.put("logs", "" + id, 6, null);
      world.green.put("logs", "" + id, 6, "{}");
      entries.add(toGreen(1, Op.DELETE, "" + id, 6));
    }
    for (int id = 0; id < 20; id++) {
      entries.add(toBlue(2, Op.INDEX, "" + id, 6));
    }
    log(entries.toArray(RepairEntry[]::new));
    RepairRunner.Options options =
        new RepairRunner.Options(entry -> true, false, false, false, Duration.ofMillis(500));
    assertThat(RepairFixture.run(world, directory, options, said, 8)).isTrue();
    assertThat(said).contains("pass 5 of 5");
    assertThat(world.blue.all()).isEqualTo(world.green.all()).hasSize(20);
  }
}
