package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.dual.RepairEntry.Cause;
import dev.weir.bluegreen.dual.RepairEntry.Op;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.action.bulk.BulkRequest;

/** What a repair keeps for the next one. */
class RepairProgressTest {
  private static final Instant TIME = Instant.parse("2026-05-06T07:08:09Z");
  private static final int DOCUMENTS = 100;

  @TempDir private Path directory;
  @TempDir private Path copy;
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

  private static RepairEntry entry(String id, long version) {
    return new RepairEntry.DocumentEntry(
        TIME,
        "blue",
        "green",
        Op.INDEX,
        new RepairEntry.Document("logs", "logs", id, null),
        version,
        Cause.ofGateway("timeout", ""));
  }

  private void fill(int documents, long fileBytes) throws IOException {
    RollingRepairLogFile files = new RollingRepairLogFile(directory, TIME, 1, fileBytes);
    for (int id = 0; id < documents; id++) {
      world.blue.put("logs", "" + id, 1, "{}");
      files.write(List.of(entry("" + id, 1).toLine()));
    }
    files.close();
  }

  private boolean repair(Path log, boolean dismiss) throws Exception {
    said.clear();
    return RepairFixture.run(
        world,
        log,
        new RepairRunner.Options(entry -> true, false, false, dismiss, Duration.ofSeconds(1)),
        said);
  }

  private long writes() {
    return world.green.calls().stream()
        .filter(call -> call.request() instanceof BulkRequest)
        .count();
  }

  private static Set<String> pending(Path log) throws IOException {
    Set<String> ids = new TreeSet<>();
    for (RepairLogFile file : RepairLogFile.listPending(log)) {
      for (RepairEntry entry : RepairFixture.entriesOf(file)) {
        ids.add(((RepairEntry.DocumentEntry) entry).document().id());
      }
    }
    return ids;
  }

  @Test
  void tryOnlyTheRestAgain() throws Exception {
    fill(DOCUMENTS, RollingRepairLogFile.MAX_FILE_BYTES);
    world.green.refusing(
        write -> write.id().equals("7") ? new IllegalArgumentException("no such field") : null);
    assertThat(repair(directory, false)).isFalse();
    assertThat(pending(directory)).containsExactly("7");
    world.green.refusing(write -> null);
    long before = writes();
    assertThat(repair(directory, false)).isTrue();
    assertThat(writes() - before).isOne();
    assertThat(said.getFirst()).endsWith(": 1 entries, 1 documents");
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left.map(Path::toString)).noneMatch(name -> name.endsWith(".repaired"));
    }
  }

  /** The files at the moment of a write are what a killed process leaves. */
  @Test
  void keepWhatAKilledRunRepaired() throws Exception {
    fill(DOCUMENTS, 4000);
    AtomicInteger writes = new AtomicInteger();
    AtomicReference<Set<String>> written = new AtomicReference<>(Set.of());
    world.green.refusing(write -> {
      if (writes.incrementAndGet() == 80) {
        copyLog();
        written.set(Set.copyOf(world.green.all().keySet()));
      }
      return null;
    });
    assertThat(repair(directory, false)).isTrue();
    Set<String> pending = pending(copy);
    for (int id = 0; id < DOCUMENTS; id++) {
      if (!pending.contains("" + id)) {
        assertThat(written.get()).as("marked before it is there").contains("logs/" + id);
      }
    }
    assertThat(pending).hasSizeBetween(DOCUMENTS - 79, DOCUMENTS - 79 + 32);
    long before = writes();
    assertThat(repair(copy, false)).isTrue();
    assertThat(writes() - before).isEqualTo(pending.size());
    assertThat(RepairLogFile.listPending(copy)).isEmpty();
  }

  private void copyLog() {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A torn or foreign mark marks nothing, and does not spoil those after it. */
  @Test
  void trustOnlyMarksThatFitTheirEntry() throws Exception {
    fill(2, RollingRepairLogFile.MAX_FILE_BYTES);
    Path file = RepairLogFile.listPending(directory).getFirst().path();
    Path marks = file.resolveSibling(file.getFileName() + ".repaired");
    int second = entry("0", 1).toLine().length;
    Files.writeString(marks, "0 00000000\n" + second + " 12");
    assertThat(pending(directory)).containsExactly("0", "1");
    world.green.refusing(
        write -> write.id().equals("0") ? new IllegalArgumentException("no such field") : null);
    assertThat(repair(directory, false)).isFalse();
    assertThat(pending(directory)).containsExactly("0");
    byte[] line = entry("0", 1).toLine();
    int sum = RepairMarks.checksum(java.util.Arrays.copyOf(line, line.length - 1));
    Files.writeString(marks, "\n0 %08x\n".formatted(sum), StandardOpenOption.APPEND);
    assertThat(pending(directory)).isEmpty();
  }

  @Test
  void readTheMarkOfAWholeFile() throws Exception {
    fill(2, RollingRepairLogFile.MAX_FILE_BYTES);
    Path file = RepairLogFile.listPending(directory).getFirst().path();
    Files.writeString(
        file.resolveSibling(file.getFileName() + ".done"),
        entry("0", 1).toLine().length + "\n",
        StandardCharsets.US_ASCII);
    assertThat(pending(directory)).containsExactly("1");
    assertThat(repair(directory, false)).isTrue();
    assertThat(world.green.all()).containsOnlyKeys("logs/1");
  }

  @Test
  void listDismissedRequestsOnce() throws Exception {
    fill(1, RollingRepairLogFile.MAX_FILE_BYTES);
    Path file = RepairLogFile.listPending(directory).getFirst().path();
    RepairEntry request =
        RepairEntry.RequestEntry.of(
            TIME, "blue", "green", "POST", "/x/_delete_by_query", Cause.ofGateway("", ""));
    Files.write(file, request.toLine(), StandardOpenOption.APPEND);
    world.green.refusing(write -> new IllegalArgumentException("no such field"));
    assertThat(repair(directory, true)).isFalse();
    assertThat(said).anyMatch(line -> line.contains("_delete_by_query"));
    assertThat(repair(directory, true)).isFalse();
    assertThat(said).noneMatch(line -> line.contains("_delete_by_query"));
  }

  /** At one document a minute the second one waits until the run is interrupted. */
  @Test
  void repairNoFasterThanTheLimit() throws Exception {
    fill(3, RollingRepairLogFile.MAX_FILE_BYTES);
    RepairRunner.Options options =
        new RepairRunner.Options(
            entry -> true,
            false,
            false,
            false,
            Duration.ofSeconds(1),
            1.0 / 60,
            name -> false,
            name -> false);
    Thread run =
        Thread.ofVirtual()
            .start(() -> {
              try {
                RepairFixture.run(world, directory, options, said);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    while (pending(directory).size() == 3 && run.isAlive()) {
      Thread.onSpinWait();
    }
    run.interrupt();
    run.join();
    assertThat(world.green.all()).hasSize(1);
    assertThat(pending(directory)).hasSize(2);
  }
}
