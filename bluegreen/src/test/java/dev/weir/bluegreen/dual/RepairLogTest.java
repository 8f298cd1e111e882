package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bluegreen.dual.RepairEntry.Cause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepairLogTest {
  @TempDir private Path directory;
  private final AtomicLong nanos = new AtomicLong();

  private RepairLog log(Path where) {
    return new RepairLog(
        new RollingRepairLogFile(where, Instant.EPOCH, 1, RollingRepairLogFile.MAX_FILE_BYTES),
        nanos::get);
  }

  private static RepairEntry entry(String path) {
    return RepairEntry.RequestEntry.of(
        Instant.EPOCH, "blue", "green", "POST", path, Cause.ofGateway("not-replicated", path));
  }

  private static @Nullable IOException appended(RepairLog log, RepairEntry entry) throws Exception {
    CompletableFuture<@Nullable IOException> done = new CompletableFuture<>();
    log.append(List.of(entry), done::complete);
    return done.get(20, TimeUnit.SECONDS);
  }

  @Test
  void leavesADiskAloneForAMomentThatHasFailed() throws Exception {
    Path blocked = directory.resolve("repair");
    Files.writeString(blocked, "no directory");
    try (RepairLog log = log(blocked)) {
      IOException first = appended(log, entry("/1"));
      assertThat(first).isNotNull();
      Files.delete(blocked);
      assertThat(appended(log, entry("/2"))).isSameAs(first);
      assertThat(Files.exists(blocked)).isFalse();
      nanos.addAndGet(RepairLog.FAILURE_BACKOFF.toNanos());
      assertThat(appended(log, entry("/3"))).isNull();
    }
    assertThat(RepairFixture.entriesOf(RepairLogFile.listPending(blocked).getFirst())).hasSize(1);
  }

  @Test
  void leavesNoEmptyFilesWhereNothingCanBeWritten() throws Exception {
    RollingRepairLogFile files =
        new RollingRepairLogFile(directory, Instant.EPOCH, 1, RollingRepairLogFile.MAX_FILE_BYTES);
    byte[] line = entry("/1").toLine();
    List<byte[]> failingMidway =
        new AbstractList<>() {
          @Override
          public byte[] get(int at) {
            if (at == 1) {
              throw new IllegalStateException("the disk fails");
            }
            return line;
          }

          @Override
          public int size() {
            return 2;
          }
        };
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> files.write(failingMidway)).hasMessage("the disk fails");
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
    files.write(List.of(entry("/2").toLine()));
    files.close();
    assertThat(RepairFixture.entriesOf(RepairLogFile.listPending(directory).getFirst())).hasSize(1);
  }

  @Test
  void rejectEntriesBeyondTheBufferWhileTheDiskBlocks() throws Exception {
    try (RepairLog log = log(directory)) {
      CountDownLatch stuck = new CountDownLatch(1);
      CountDownLatch begun = new CountDownLatch(1);
      log.append(
          List.of(entry("/1")),
          failure -> {
            begun.countDown();
            try {
              stuck.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
            throw new AssertionError("a defect of the caller");
          });
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
      RepairEntry large = entry("/" + "x".repeat(400));
      AtomicLong kept = new AtomicLong();
      CompletableFuture<IOException> refused = new CompletableFuture<>();
      List<RepairEntry> many = Stream.generate(() -> large).limit(1000).toList();
      for (int i = 0; i < 100 && !refused.isDone(); i++) {
        log.append(
            many,
            failure -> {
              if (failure == null) {
                kept.incrementAndGet();
              } else {
                refused.complete(failure);
              }
            });
      }
      assertThat(refused.get(20, TimeUnit.SECONDS))
          .hasMessageContaining("has not written the pending");
      stuck.countDown();
      assertThat(appended(log, entry("/2"))).isNull();
      assertThat(kept.get()).isBetween(10L, 50L);
    }
  }
}
