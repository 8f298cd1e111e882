package dev.weir.bluegreen.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class IntentLogTest {
  private static final int SMALL_FILE_BYTES = 1000;

  @TempDir private Path folder;
  private final AtomicLong nanos = new AtomicLong();

  private IntentLog open(Path directory) {
    return new IntentLog(directory, nanos::get, SMALL_FILE_BYTES);
  }

  private static long record(IntentLog log, String payload) {
    CompletableFuture<@Nullable IOException> done = new CompletableFuture<>();
    long number = log.record(payload.getBytes(StandardCharsets.UTF_8), false, done::complete);
    assertThat(await(done)).isNull();
    return number;
  }

  private static @Nullable IOException tryToRecord(IntentLog log) {
    CompletableFuture<@Nullable IOException> done = new CompletableFuture<>();
    log.record(new byte[] {'{', '}'}, true, done::complete);
    return await(done);
  }

  private static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(1, TimeUnit.MINUTES).join();
  }

  /** What a process leaves that is killed now: this process keeps its own files locked. */
  private Path killed(Path directory) throws IOException {
    Path left = Files.createTempDirectory(folder, "killed");
    for (Path file : files(directory)) {
      Files.copy(file, left.resolve(file.getFileName()));
    }
    return left;
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  private static List<String> takeOver(Path directory) throws IOException {
    List<String> payloads = new ArrayList<>();
    OrphanedIntents.takeOver(
        directory,
        open -> open.forEach(one -> payloads.add(new String(one, StandardCharsets.UTF_8))));
    return payloads;
  }

  @Test
  void handOverWhatAnEndedProcessLeftOpen() throws IOException {
    Path directory = folder.resolve("log");
    try (IntentLog log = open(directory)) {
      record(log, "{\"id\":\"a\"}");
      long cleared = record(log, "{\"id\":\"b\"}");
      log.clear(cleared);
      record(log, "{\"id\":\"c d\"}");
      Path left = killed(directory);
      assertThat(OrphanedIntents.count(left)).isEqualTo(2);
      assertThatThrownBy(() ->
              OrphanedIntents.takeOver(
                  left,
                  payloads -> {
                    throw new IOException("full");
                  }))
          .hasMessage("full");
      assertThat(takeOver(left)).containsExactly("{\"id\":\"a\"}", "{\"id\":\"c d\"}");
      assertThat(files(left)).isEmpty();
      assertThat(takeOver(left)).isEmpty();
    }
  }

  @Test
  void leaveFilesOfLiveProcesses() throws IOException {
    try (IntentLog log = open(folder)) {
      record(log, "{}");
      assertThat(takeOver(folder)).isEmpty();
      assertThat(files(folder)).hasSize(1);
      assertThat(log.openCount()).isOne();
    }
    assertThat(takeOver(folder)).as("closed with an open intent").containsExactly("{}");
    assertThat(takeOver(folder.resolve("missing"))).isEmpty();
  }

  @Test
  void deleteTheFileAtTheEndIfNothingIsOpen() throws IOException {
    try (IntentLog log = open(folder)) {
      log.clear(record(log, "{}"));
    }
    assertThat(files(folder)).isEmpty();
  }

  @Test
  void beginANewFileWithTheOpenIntents() throws IOException {
    try (IntentLog log = open(folder)) {
      record(log, "{\"id\":\"open\"}");
      for (int i = 0; i < 500; i++) {
        log.clear(record(log, "{\"id\":\"" + i + "\"}"));
      }
      record(log, "{\"id\":\"last\"}");
      List<Path> files = files(folder);
      assertThat(files).hasSize(1);
      assertThat(Files.size(files.getFirst())).isLessThan(2 * SMALL_FILE_BYTES);
      assertThat(takeOver(killed(folder)))
          .containsExactly("{\"id\":\"open\"}", "{\"id\":\"last\"}");
    }
  }

  @Test
  void leaveOutLinesThatACrashTore() throws IOException {
    try (IntentLog log = open(folder)) {
      record(log, "{}");
      Path left = killed(folder);
      Files.writeString(
          files(left).getFirst(), "?\n+x {}\n-\n-1 x\0\n+3 {", StandardOpenOption.APPEND);
      assertThat(takeOver(left)).as("intent 1 is cleared, the others are no intents").isEmpty();
    }
  }

  @Test
  void failWhileTheDirectoryIsUnusableAndThenGoOn() throws IOException {
    Path directory = folder.resolve("log");
    Files.writeString(directory, "a file");
    try (IntentLog log = open(directory)) {
      assertThat(tryToRecord(log)).isNotNull();
      assertThat(log.openCount()).isZero();
      Files.delete(directory);
      assertThat(tryToRecord(log)).as("within the backoff").isNotNull();
      assertThat(directory).doesNotExist();
      nanos.addAndGet(IntentLog.FAILURE_BACKOFF.toNanos());
      assertThat(tryToRecord(log)).isNull();
      assertThat(log.openCount()).isOne();
    }
    assertThat(takeOver(directory)).containsExactly("{}");
  }

  private static List<String> takeOverAbandoned(IntentLog log) throws IOException {
    List<String> payloads = new ArrayList<>();
    int count =
        log.takeOverAbandoned(
            some -> some.forEach(one -> payloads.add(new String(one, StandardCharsets.UTF_8))));
    assertThat(count).isEqualTo(payloads.size());
    return payloads;
  }

  @Test
  void handOverAbandonedIntentsUntilTheyAreTaken() throws IOException {
    try (IntentLog log = open(folder)) {
      log.abandon(record(log, "{\"id\":\"a\"}"));
      log.abandon(0);
      log.clear(record(log, "{\"id\":\"b\"}"));
      record(log, "{\"id\":\"open\"}");
      assertThatThrownBy(() ->
              log.takeOverAbandoned(payloads -> {
                throw new IOException("full");
              }))
          .hasMessage("full");
      assertThat(takeOverAbandoned(log)).containsExactly("{\"id\":\"a\"}");
      assertThat(takeOverAbandoned(log)).isEmpty();
      record(log, "{\"id\":\"last\"}");
      assertThat(log.openCount()).isEqualTo(2);
      assertThat(takeOver(killed(folder)))
          .containsExactly("{\"id\":\"open\"}", "{\"id\":\"last\"}");
    }
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void takeClearedIntentsOutOfTheFileSoon() throws Exception {
    try (IntentLog log = open(folder)) {
      log.clear(record(log, "{}"));
      awaitUntil(() -> log.openCount() == 0); // without a further intent that takes it along
      assertThat(takeOver(killed(folder))).isEmpty();
    }
  }

  /** The file is full, so the failed write is that of the next file. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void takeClearedIntentsOutOfTheFileAfterAFailure() throws Exception {
    Path directory = folder.resolve("log");
    Path away = folder.resolve("away");
    try (IntentLog log = open(directory)) {
      long number = record(log, "x".repeat(SMALL_FILE_BYTES));
      Files.move(directory, away);
      Files.writeString(directory, "a file");
      log.clear(number);
      awaitUntil(() -> log.openCount() == 0);
      Files.delete(directory);
      Files.move(away, directory);
      Path left = files(directory).getFirst();
      nanos.addAndGet(IntentLog.FAILURE_BACKOFF.toNanos());
      awaitUntil(() -> !Files.exists(left));
      assertThat(takeOver(killed(directory))).isEmpty();
    }
  }

  private static void awaitUntil(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(5);
    }
  }

  @Test
  void leaveAbandonedIntentsToTheNextProcess() throws IOException {
    try (IntentLog log = open(folder)) {
      log.abandon(record(log, "{\"id\":\"a\"}"));
    }
    assertThat(takeOver(folder)).containsExactly("{\"id\":\"a\"}");
  }

  @Test
  void takeIntentsAgainOnceTheAbandonedOnesAreTaken() throws IOException {
    try (IntentLog log = open(folder)) {
      log.abandon(record(log, "x".repeat((int) IntentLog.MAX_OPEN_BYTES - 100)));
      CompletableFuture<@Nullable IOException> refused = new CompletableFuture<>();
      log.record(new byte[200], false, refused::complete);
      assertThat(await(refused)).hasMessageContaining("bytes of intents are open");
      record(log, "{}");
      assertThat(log.takeOverAbandoned(payloads -> {})).isOne();
      record(log, "{}");
      record(log, "y".repeat(200));
      assertThat(log.openCount()).isEqualTo(3);
    }
  }

  @Test
  void rejectIntentsBeyondTheBoundAndAfterTheEnd() {
    IntentLog log = open(folder);
    try (log) {
      record(log, "x".repeat((int) IntentLog.MAX_OPEN_BYTES - 100));
      CompletableFuture<@Nullable IOException> done = new CompletableFuture<>();
      long number = log.record(new byte[200], false, done::complete);
      assertThat(await(done)).hasMessageContaining("bytes of intents are open");
      log.clear(number);
    }
    assertThat(tryToRecord(log)).hasMessageContaining("closed");
  }

  @Test
  void answerEveryIntentThatIsRecordedDuringTheEnd() throws Exception {
    for (int round = 0; round < 50; round++) {
      AtomicInteger recorded = new AtomicInteger();
      AtomicInteger answered = new AtomicInteger();
      AtomicBoolean refused = new AtomicBoolean();
      CountDownLatch begun = new CountDownLatch(1);
      IntentLog log = open(folder);
      Thread client =
          Thread.ofPlatform()
              .start(() -> {
                while (!refused.get()) {
                  recorded.incrementAndGet();
                  log.record(
                      new byte[] {'{', '}'},
                      false,
                      failure -> {
                        answered.incrementAndGet();
                        if (failure != null) {
                          refused.set(true);
                        }
                      });
                  begun.countDown();
                }
              });
      begun.await();
      log.close();
      client.join();
      assertThat(answered).hasValue(recorded.get());
    }
  }
}
