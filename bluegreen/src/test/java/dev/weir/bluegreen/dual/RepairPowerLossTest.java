package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.dual.PowerLossDisk.PowerLoss;
import dev.weir.bluegreen.dual.RepairEntry.Cause;
import dev.weir.bluegreen.dual.RepairEntry.Op;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The repair log after a power failure at each step of what writes it or marks it as done. */
class RepairPowerLossTest {
  private static final Instant TIME = Instant.parse("2026-05-06T07:08:09Z");
  private static final int RESTARTS = 16;
  private static final int DOCUMENTS = 6;

  /** Three files of two entries. */
  private static final int FULL_BYTES = 400;

  private static final RepairRunner.Options OPTIONS =
      new RepairRunner.Options(entry -> true, false, false, false, Duration.ofSeconds(1));

  @TempDir private Path unused;

  private static RepairEntry entry(int id) {
    return new RepairEntry.DocumentEntry(
        TIME,
        "blue",
        "green",
        Op.INDEX,
        new RepairEntry.Document("logs", "logs", "" + id, null),
        1,
        Cause.ofGateway("timeout", ""));
  }

  /** Writes a log; returns the entries whose write was confirmed. */
  private static List<RepairEntry> write(PowerLossFileSystem files) {
    RollingRepairLogFile log = new RollingRepairLogFile(files.directory(), TIME, 1, FULL_BYTES);
    List<RepairEntry> confirmed = new ArrayList<>();
    try {
      for (int id = 0; id < DOCUMENTS; id++) {
        log.write(List.of(entry(id).toLine()));
        confirmed.add(entry(id));
      }
    } catch (PowerLoss failed) {
      return confirmed;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return confirmed;
  }

  private static List<RepairEntry> pending(PowerLossFileSystem files) throws IOException {
    List<RepairEntry> entries = new ArrayList<>();
    for (RepairLogFile file : RepairLogFile.listPending(files.directory())) {
      entries.addAll(RepairFixture.entriesOf(file));
    }
    return entries;
  }

  private static PowerLossFileSystem restart(PowerLossFileSystem files, Random random) {
    return new PowerLossFileSystem(files.disk().restart(random));
  }

  @Test
  void keepEachConfirmedEntry() throws IOException {
    List<RepairEntry> confirmed = List.of();
    for (int steps = 0; confirmed.size() < DOCUMENTS; steps++) {
      for (int seed = 0; seed < RESTARTS; seed++) {
        PowerLossFileSystem files = new PowerLossFileSystem(new PowerLossDisk(steps));
        confirmed = write(files);
        assertThat(pending(restart(files, new Random(seed))))
            .as("after %d steps, seed %d", steps, seed)
            .containsAll(confirmed)
            .hasSizeLessThanOrEqualTo(confirmed.size() + 1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        RepairLogFile.TAIL_BLOCK_BYTES - 1,
        RepairLogFile.TAIL_BLOCK_BYTES,
        RepairLogFile.TAIL_BLOCK_BYTES + 1,
        100_000
      })
  void findTheLastLineBeforeADamagedEnd(int damagedBytes) throws IOException {
    PowerLossDisk disk = new PowerLossDisk(Integer.MAX_VALUE);
    byte[] line = entry(0).toLine();
    disk.setBytes(
        disk.create("damaged" + RollingRepairLogFile.SUFFIX),
        Arrays.copyOf(line, line.length + damagedBytes));
    assertThat(RepairLogFile.listPending(new PowerLossFileSystem(disk).directory()))
        .extracting(RepairLogFile::endOffset)
        .containsExactly((long) line.length);
    assertThat(disk.reads()).isLessThan(20);
  }

  /**
   * A repair that the power failure interrupts is whole after the next one, which replaces no newer
   * write; what a finished one has marked is not repaired again.
   */
  @Test
  void repairEachDocumentAndReplaceNoNewerWrite() throws Exception {
    boolean isWhole = false;
    for (int steps = 0; !isWhole; steps++) {
      for (int seed = 0; seed < RESTARTS; seed++) {
        isWhole = repairTwice(steps, seed);
      }
    }
  }

  /** Returns whether the first repair ended before the power failed. */
  private boolean repairTwice(int steps, int seed) throws Exception {
    PowerLossFileSystem files = new PowerLossFileSystem(new PowerLossDisk(Integer.MAX_VALUE));
    write(files);
    files.disk().failAfter(steps);
    DualWriteFixture world = new DualWriteFixture(unused);
    try {
      for (int id = 0; id < DOCUMENTS; id++) {
        world.blue.put("logs", "" + id, 1, "{}");
      }
      boolean isWhole = repair(world, files);
      PowerLossFileSystem restarted = restart(files, new Random(seed));
      Set<String> pending = new TreeSet<>();
      for (RepairEntry entry : pending(restarted)) {
        pending.add(((RepairEntry.DocumentEntry) entry).document().id());
      }
      if (isWhole) {
        assertThat(pending).as("after a repair of all").isEmpty();
      }
      for (int id = 0; id < DOCUMENTS; id++) {
        if (!pending.contains("" + id)) {
          assertThat(world.green.all()).as("what is marked").containsKey("logs/" + id);
        }
      }
      String changed = "" + seed % DOCUMENTS;
      world.green.put("logs", changed, 9, "{\"newer\":true}");
      long before = writes(world);

      boolean isWholeNow = repair(world, restarted);

      assertThat(isWholeNow).isEqualTo(!pending.contains(changed));
      assertThat(world.green.all())
          .as("after %d steps, seed %d", steps, seed)
          .hasSize(DOCUMENTS)
          .containsEntry("logs/" + changed, "9:{\"newer\":true}");
      assertThat(writes(world) - before).isEqualTo(pending.size());
      return isWhole;
    } finally {
      world.close();
    }
  }

  private static boolean repair(DualWriteFixture world, PowerLossFileSystem files)
      throws IOException, InterruptedException {
    try {
      return RepairFixture.run(world, files.directory(), OPTIONS, new ArrayList<>());
    } catch (PowerLoss failed) {
      return false;
    }
  }

  private static long writes(DualWriteFixture world) {
    return world.green.calls().stream().filter(call -> call.action().contains("bulk")).count();
  }
}
