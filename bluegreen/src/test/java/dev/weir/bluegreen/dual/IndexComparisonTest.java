package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bluegreen.compare.IndexComparison;
import dev.weir.bluegreen.compare.IndexComparison.ComparisonException;
import dev.weir.bluegreen.compare.IndexComparison.Side;
import dev.weir.model.PassThroughException;
import dev.weir.rest.PassThroughReasons;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.search.SearchRequest;

class IndexComparisonTest {
  private static final Duration PAUSE = Duration.ofMillis(1);

  @TempDir private Path directory;
  @TempDir private Path scratch;
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

  private boolean compare(boolean fix) throws Exception {
    return compare("logs", fix);
  }

  private boolean compare(String inGreen, boolean fix) throws Exception {
    said.clear();
    try (ExecutorService home = Executors.newSingleThreadExecutor()) {
      return new IndexComparison(
              new Side("blue", client(world.blue, home), "logs"),
              new Side("green", client(world.green, home), inGreen),
              new IndexComparison.Options(scratch, fix ? directory : null, 2, PAUSE),
              said::add)
          .run();
    } finally {
      assertThat(world.blue.scrolls().openScrolls()).isZero();
      assertThat(world.green.scrolls().openScrolls()).isZero();
      try (Stream<Path> left = Files.list(scratch)) {
        assertThat(left).isEmpty();
      }
    }
  }

  private static ClusterDocumentClient client(InMemoryCluster cluster, ExecutorService home) {
    return new ClusterDocumentClient(cluster, home, Duration.ofSeconds(5));
  }

  private void putBoth(String id, long version, String source) {
    world.blue.put("logs", id, version, source);
    world.green.put("logs", id, version, source);
  }

  private boolean repair(boolean fromWins) throws Exception {
    return RepairFixture.run(world, directory, fromWins);
  }

  @Test
  void findEqualIndicesEqual() throws Exception {
    for (int id = 0; id < 7; id++) {
      putBoth("" + id, id + 1, "{\"v\":" + id + "}");
    }
    world.blue.put("other", "1", 1, "{}");
    assertThat(compare(false)).isTrue();
    assertThat(said)
        .contains("blue: 7 documents read", "green: 7 documents read")
        .endsWith(
            "7 same, 0 different version, 0 different source, 0 only in blue, 0 only in green");
    assertThat(gets()).isZero();
  }

  private long gets() {
    return Stream.of(world.blue, world.green)
        .flatMap(cluster -> cluster.calls().stream())
        .filter(call -> call.request() instanceof GetRequest)
        .count();
  }

  @Test
  void countEachKindOfDifference() throws Exception {
    putBoth("same", 1, "{}");
    world.blue.put("logs", "version", 3, "{}");
    world.green.put("logs", "version", 2, "{}");
    world.blue.put("logs", "source", 3, "{\"n\":1}");
    world.green.put("logs", "source", 3, "{\"n\":\"1\"}");
    world.blue.put("logs", "blue", 4, "{}");
    world.green.put("logs", "green", 5, "{}", "r");
    assertThat(compare(false)).isFalse();
    assertThat(said)
        .contains(
            "  version: version 3 in blue, 2 in green",
            "  source: different source in version 3",
            "  blue: only in blue, version 4",
            "  green (routing r): only in green, version 5")
        .endsWith(
            "1 same, 1 different version, 1 different source, 1 only in blue, 1 only in green");
  }

  @Test
  void compareSourcesAsJsonValues() throws Exception {
    world.blue.put("logs", "1", 1, "{\"a\":1,\"b\":[true,null,\"x\"],\"c\":{\"d\":1.50,\"e\":2}}");
    world.green.put(
        "logs", "1", 1, "{ \"c\":{\"e\":2, \"d\":1.5},\n \"b\":[true,null,\"\\u0078\"],\"a\":1}");
    assertThat(compare(false)).isTrue();
    world.green.put("logs", "1", 1, "{\"a\":1,\"b\":[null,true,\"x\"],\"c\":{\"d\":1.50,\"e\":2}}");
    assertThat(compare(false)).as("the order of an array").isFalse();
  }

  @Test
  void compareTheRouting() throws Exception {
    world.blue.put("logs", "1", 1, "{}", "a");
    world.green.put("logs", "1", 1, "{}", "b");
    assertThat(compare(false)).isFalse();
    assertThat(said.getLast()).startsWith("0 same,").endsWith("1 only in blue, 1 only in green");
  }

  /** A get with one routing finds the document that has the other. */
  @Test
  void compareAndRepairTheRoutingInOneShard() throws Exception {
    world.blue.oneShard();
    world.green.oneShard();
    world.blue.put("logs", "1", 3, "{\"v\":1}", "a");
    world.green.put("logs", "1", 3, "{\"v\":1}", "b");
    assertThat(compare(true)).isFalse();
    assertThat(said)
        .contains(
            "  1 (routing a): only in blue, version 3", "  1 (routing b): only in green, version 3")
        .contains(
            "0 same, 0 different version, 0 different source, 1 only in blue, 1 only in green");
    assertThat(repair(false)).isTrue();
    assertThat(compare(false)).as("after the repair").isTrue();
    assertThat(world.green.all()).isEqualTo(world.blue.all()).hasSize(1);
  }

  @Test
  void listButNotLogWhatChangesAtEachLook() throws Exception {
    putBoth("same", 1, "{}");
    world.blue.put("logs", "1", 1, "{}");
    AtomicInteger version = new AtomicInteger(1);
    world.green.run(task -> {
      world.green.put("logs", "1", version.incrementAndGet(), "{}");
      task.run();
    });
    assertThat(compare(true)).isFalse();
    assertThat(said)
        .contains("  1: still changing")
        .endsWith(
            "1 same, 0 different version, 0 different source, 0 only in blue, 0 only in green, 1"
                + " still changing");
    assertThat(RepairLogFile.listPending(directory)).isEmpty();
  }

  /** Dual writes bring a document to both clusters while the indices are read. */
  @Test
  void lookAgainAtDocumentsThatChange() throws Exception {
    putBoth("1", 1, "{}");
    world.blue.put("logs", "2", 1, "{}");
    world.green.put("logs", "3", 1, "{}");
    world
        .green
        .scrolls()
        .afterPage(() -> {
          world.green.put("logs", "2", 1, "{}");
          world.green.put("logs", "3", 1, null);
        });
    assertThat(compare(false)).isTrue();
    assertThat(said.getLast()).startsWith("2 same, ");
  }

  @Test
  void showTheFirstHundredDifferences() throws Exception {
    for (int id = 0; id < 130; id++) {
      world.blue.put("logs", "" + id, 1, "{}");
    }
    assertThat(compare(false)).isFalse();
    assertThat(said).filteredOn(line -> line.contains(": only in blue")).hasSize(100);
    assertThat(said).contains("  and 30 further differences");
  }

  @Test
  void mendTheDifferencesByARepair() throws Exception {
    putBoth("same", 1, "{}");
    world.blue.put("logs", "version", 3, "{\"v\":3}");
    world.green.put("logs", "version", 2, "{\"v\":2}");
    world.blue.put("logs", "source", 3, "{\"n\":1}");
    world.green.put("logs", "source", 3, "{\"n\":\"1\"}");
    world.blue.put("logs", "blue", 4, "{}");
    world.green.put("logs", "green", 5, "{}");
    assertThat(compare(true)).isFalse();
    assertThat(said.getLast()).startsWith("4 entries from blue to green written to ");
    assertThat(repair(false)).isTrue();
    assertThat(world.green.all()).isEqualTo(world.blue.all()).hasSize(4);
    assertThat(compare(true)).isTrue();
    assertThat(RepairLogFile.listPending(directory)).isEmpty();
  }

  /** A comparison is no write: green's logged write stays the last one. */
  @Test
  void takeNoLaterWriteBack() throws Exception {
    world.green.put("logs", "1", 5, "{}");
    RollingRepairLogFile log =
        new RollingRepairLogFile(
            directory, java.time.Instant.EPOCH, 1, RollingRepairLogFile.MAX_FILE_BYTES);
    log.write(
        List.of(
            new RepairEntry.DocumentEntry(
                    java.time.Instant.EPOCH,
                    "green",
                    "blue",
                    RepairEntry.Op.INDEX,
                    new RepairEntry.Document("logs", "logs", "1", null),
                    5,
                    RepairEntry.Cause.ofGateway("timeout", ""))
                .toLine()));
    log.close();
    assertThat(compare(true)).isFalse();
    assertThat(repair(false)).isTrue();
    assertThat(world.green.all()).isEqualTo(world.blue.all()).hasSize(1);
  }

  @Test
  void compareIndicesOfDifferentNames() throws Exception {
    world.blue.put("logs", "1", 2, "{}");
    world.green.put("logs-v2", "1", 1, "{}");
    world.green.put("logs-v2", "2", 1, "{}");
    assertThat(compare("logs-v2", true)).isFalse();
    assertThat(repair(false)).isTrue();
    assertThat(world.green.all()).containsOnlyKeys("logs-v2/1").containsValue("2:{}");
    assertThat(compare("logs-v2", true)).isTrue();
  }

  @Test
  void failRatherThanCompareAPart() {
    putBoth("1", 1, "{}");
    world.green.scrolls().failingShards();
    assertThatThrownBy(() -> compare(false))
        .isInstanceOf(ComparisonException.class)
        .hasMessage("can't read logs of green: 1 of 1 shards failed");
  }

  @Test
  void endWithTheFailureOfOneClusterWithoutReadingTheOther() {
    for (int id = 0; id < 10; id++) {
      putBoth("" + id, 1, "{}");
    }
    CountDownLatch read = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    world
        .blue
        .scrolls()
        .afterPage(() -> {
          if (read.getCount() > 0) {
            world.green.scrolls().failingShards();
            read.countDown();
          } else {
            await(ended); // nothing needs a second page
          }
        });
    world.green.scrolls().afterPage(() -> await(read));
    try (ExecutorService blues = Executors.newSingleThreadExecutor();
        ExecutorService greens = Executors.newSingleThreadExecutor()) {
      IndexComparison comparison =
          new IndexComparison(
              new Side("blue", client(world.blue, blues), "logs"),
              new Side("green", client(world.green, greens), "logs"),
              new IndexComparison.Options(scratch, null, 2, PAUSE),
              said::add);
      try {
        assertThatThrownBy(comparison::run)
            .isInstanceOf(ComparisonException.class)
            .hasMessage("can't read logs of green: 1 of 1 shards failed");
      } finally {
        ended.countDown();
      }
    }
    assertThat(world.blue.scrolls().openScrolls()).isZero();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void failForAMissingIndex() {
    world.green.missing("logs");
    assertThatThrownBy(() -> compare(false))
        .isInstanceOf(ComparisonException.class)
        .hasMessageContaining("no such index [logs]");
  }

  /** The pipeline of an index may change what a search finds, and only nodes execute it. */
  @Test
  void readWithoutSearchPipelines() throws Exception {
    putBoth("1", 1, "{}");
    assertThat(compare(false)).isTrue();
    assertThat(Stream.of(world.blue, world.green).flatMap(cluster -> cluster.calls().stream()))
        .filteredOn(call -> call.request() instanceof SearchRequest)
        .extracting(call -> ((SearchRequest) call.request()).pipeline())
        .containsOnly("_none")
        .hasSize(4);
  }

  @Test
  void explainWhyOnlyANodeCanRead() {
    world.green.throwing(new PassThroughException(PassThroughReasons.SYSTEM_INDEX));
    assertThatThrownBy(() -> compare(false))
        .isInstanceOf(ComparisonException.class)
        .hasMessage(
            "can't read logs of green: only a node can execute this request, because of"
                + " [system-index]");
  }
}
