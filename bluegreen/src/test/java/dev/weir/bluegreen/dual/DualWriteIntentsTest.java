package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.dual.DualWriteFixture.PendingRequest;
import dev.weir.bluegreen.dual.RepairEntry.DocumentEntry;
import dev.weir.bluegreen.dual.RepairEntry.RequestEntry;
import dev.weir.bluegreen.intent.IntentLog;
import dev.weir.config.policy.DualWritesPolicy.IntentLogPolicy;
import dev.weir.config.policy.DualWritesPolicy.IntentLogPolicy.FailureMode;
import dev.weir.model.PassThroughException;
import dev.weir.rest.PassThroughReasons;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.index.IndexAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.rest.RestStatus;

/** What a gateway that is killed in the middle of a dual write leaves in its intent log. */
class DualWriteIntentsTest extends DualWriteTestCase {
  private static final Duration MAX_WAIT = Duration.ofSeconds(1);

  @TempDir private Path folder;
  private Path intents;
  private IntentLog log;

  @BeforeEach
  void open() {
    intents = folder.resolve("intents");
    log = new IntentLog(intents, System::nanoTime);
    use(FailureMode.CONTINUE);
  }

  @AfterEach
  void close() {
    log.close();
  }

  private void use(FailureMode mode) {
    world.intents(
        new IntentRecorder(
            log,
            new IntentLogPolicy(intents.toString(), false, MAX_WAIT, mode),
            world.counts,
            world.means()));
  }

  /** What this gateway leaves if it is killed now. */
  private Path killed() throws IOException {
    Path left = Files.createTempDirectory(folder, "killed");
    try (Stream<Path> all = Files.list(intents)) {
      for (Path file : all.toList()) {
        Files.copy(file, left.resolve(file.getFileName()));
      }
    }
    return left;
  }

  /** What the next gateway finds if this one is killed now. */
  private List<RepairEntry> afterKill() throws IOException {
    List<RepairEntry> entries = new ArrayList<>();
    LostIntents.move(killed(), entries::addAll);
    return entries;
  }

  /** What this gateway moves once the repair log takes entries again. */
  private List<RepairEntry> abandoned() {
    List<RepairEntry> entries = new ArrayList<>();
    world.until(() -> {
      try {
        LostIntents.moveAbandoned(log, entries::addAll);
        return !entries.isEmpty();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
    return entries;
  }

  /** Occupies the thread that calls this until it is free. */
  private static void hold(CountDownLatch held, CountDownLatch free) {
    held.countDown();
    try {
      free.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until the log has recorded an intent, and has done all that it was given before. */
  private void recordAnother(byte[] payload) {
    CompletableFuture<Boolean> recorded = new CompletableFuture<>();
    log.record(payload, false, failure -> recorded.complete(failure == null));
    assertThat(recorded.orTimeout(1, TimeUnit.MINUTES).join()).isTrue();
  }

  private String fileText() throws IOException {
    try (Stream<Path> all = Files.list(intents)) {
      return Files.readString(all.findFirst().orElseThrow());
    }
  }

  private List<String> idsAfterKill() throws IOException {
    return afterKill().stream()
        .map(DocumentEntry.class::cast)
        .filter(entry -> !entry.isAcknowledged())
        .map(entry -> entry.document().index() + "/" + entry.document().id())
        .toList();
  }

  private static BulkRequest bulk() {
    BulkRequest bulk = new BulkRequest();
    bulk.add(index("1", "a"));
    bulk.add(new IndexRequest("logs").source("{\"secret\":1}", XContentType.JSON));
    bulk.add(new DeleteRequest("other", "3").routing("r"));
    return bulk;
  }

  @Test
  void recordAllIdsBeforeTheFirstWriteLeavesUntilBothOutcomesAreKnown() throws IOException {
    List<Runnable> inBlue = new ArrayList<>();
    List<Runnable> inGreen = new ArrayList<>();
    world.blue.run(inBlue::add);
    world.green.run(inGreen::add);
    PendingRequest<BulkResponse> asked = world.ask(BulkAction.INSTANCE, bulk());
    world.until(() -> !inBlue.isEmpty());
    assertThat(idsAfterKill()).containsExactly("logs/1", "logs/minted-1", "other/3");
    DocumentEntry last = (DocumentEntry) afterKill().getLast();
    assertThat(last.document().routing()).isEqualTo("r");
    assertThat(last.cause().type()).isEqualTo(IntentCodec.GATEWAY_LOST);
    assertThat(fileText()).contains("minted-1").doesNotContain("secret");
    inBlue.forEach(Runnable::run);
    world.until(() -> !inGreen.isEmpty());
    assertThat(idsAfterKill()).hasSize(3);
    inGreen.forEach(Runnable::run);
    world.until(asked::isAnswered);
    world.until(() -> log.openCount() == 0);
    assertThat(afterKill()).isEmpty();
    assertSame();
    assertThat(world.counts.intentsRecorded("green")).isOne();
  }

  @Test
  void recordTheRequestWhereANodeGeneratesIds() throws IOException {
    world.blue.throwing(new PassThroughException(PassThroughReasons.INGEST_PIPELINE));
    List<Runnable> inBlue = new ArrayList<>();
    world.blue.run(inBlue::add);
    BulkRequest bulk = bulk();
    bulk.add(new IndexRequest("logs").source("{}", XContentType.JSON));
    PendingRequest<BulkResponse> asked = world.ask(BulkAction.INSTANCE, bulk);
    world.until(() -> !inBlue.isEmpty());
    List<RepairEntry> entries = afterKill();
    assertThat(entries).hasSize(3);
    assertThat(((DocumentEntry) entries.get(0)).document().locationCertain()).isFalse();
    assertThat(((RequestEntry) entries.get(1)).path()).isEqualTo("/logs/_bulk");
    inBlue.forEach(Runnable::run);
    world.until(asked::isAnswered);
  }

  @Test
  void clearTheIntentOfAWriteThatFailed() throws IOException {
    world.blue.refusing(write -> refusal(RestStatus.BAD_REQUEST, "no"));
    PendingRequest<IndexResponse> asked = world.answered(IndexAction.INSTANCE, index("1", "a"));
    assertThat(asked.failure).isNotNull();
    world.until(() -> log.openCount() == 0);
    assertThat(afterKill()).isEmpty();
  }

  @Test
  void keepTheIntentOfAMissedWriteThatTheRepairLogDoesNotTake() throws IOException {
    world.green.refusing(write -> refusal(RestStatus.BAD_REQUEST, "no"));
    world.closeRepairLog();
    PendingRequest<IndexResponse> asked = world.answered(IndexAction.INSTANCE, index("1", "a"));
    assertThat(asked.response).isNotNull();
    assertThat(world.blue.all()).containsKey("logs/1");
    assertThat(log.openCount()).isOne();
    assertThat(idsAfterKill()).containsExactly("logs/1");
    assertThat(abandoned())
        .singleElement()
        .isInstanceOfSatisfying(
            DocumentEntry.class,
            entry -> {
              assertThat(entry.isAcknowledged()).isFalse();
              assertThat(entry.document().id()).isEqualTo("1");
              assertThat(entry.cause()).isEqualTo(IntentCodec.UNLOGGED);
            });
    world.until(() -> log.openCount() == 0);
    assertThat(afterKill()).isEmpty();
  }

  /** The entry is in the log twice then, and its repair takes both together. */
  @Test
  void moveTheIntentOfAMissedWriteThatTheRepairLogTakesTooLate() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    world.target().repairLog().append(List.of(), failure -> hold(held, free));
    held.await();
    world.reachable(false);
    PendingRequest<IndexResponse> asked = world.ask(IndexAction.INSTANCE, index("1", "a"));
    world.until(() -> world.blue.all().containsKey("logs/1"));
    world.settle();
    assertThat(asked.isAnswered()).isFalse();
    world.passWithoutDisk(RepairLogAppender.TIMEOUT);
    world.until(asked::isAnswered);
    assertThat(asked.response).isNotNull();
    assertThat(world.counts.unlogged("green")).isOne();
    free.countDown();
    world.until(() -> !world.logged().isEmpty());
    assertThat(world.loggedDocuments()).containsExactly("index 1 1 unreachable");
    assertThat(world.counts.logged("green")).isZero();
    assertThat(abandoned()).hasSize(1);
    world.until(() -> log.openCount() == 0);
  }

  @Test
  void sendNothingOfAWriteThatIsCancelledWhileItWaitsForTheLog() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    log.record(new byte[] {'{', '}'}, false, failure -> hold(held, free));
    held.await();
    PendingRequest<IndexResponse> asked = world.ask(IndexAction.INSTANCE, index("1", "a"));
    asked.context.cancel("a defect");
    world.until(() -> world.held() == 0);
    assertThat(world.loggedDocuments()).containsExactly("unknown 1 0 illegal_state_exception");
    free.countDown();
    recordAnother(new byte[] {'{', '}'});
    world.settle();
    assertThat(world.blue.all()).isEmpty();
    assertThat(asked.answers).isZero();
    assertThat(log.openCount()).as("without that of the cancelled write").isEqualTo(2);
  }

  @Test
  void moveTheIntentOfABulkInParts() throws IOException {
    int documents = 2 * LostIntents.MAX_APPENDED + 5;
    recordAnother(
        IntentCodec.encode(
            Instant.EPOCH,
            "blue",
            "green",
            IntStream.range(0, documents)
                .mapToObj(id -> new RepairEntry.Document("logs", "logs", "d" + id, null))
                .toList()));
    List<Integer> sizes = new ArrayList<>();
    LostIntents.move(killed(), entries -> sizes.add(entries.size()));
    assertThat(sizes).containsExactly(LostIntents.MAX_APPENDED, LostIntents.MAX_APPENDED, 5);
  }

  @Test
  void rejectOrContinueWhatTheLogDoesNotTake() {
    log.close();
    world.answered(IndexAction.INSTANCE, index("1", "a"));
    assertThat(world.green.all()).containsKey("logs/1");
    assertThat(world.counts.intentFailures())
        .contains(new DualWriteCounts.Count("green", "continued", 1));
    use(FailureMode.REJECT);
    PendingRequest<IndexResponse> asked = world.answered(IndexAction.INSTANCE, index("2", "a"));
    Exception failure = asked.failure;
    assertThat(failure).hasMessageContaining("nothing was written").isNotNull();
    assertThat(ExceptionsHelper.status(failure)).isEqualTo(RestStatus.SERVICE_UNAVAILABLE);
    assertThat(world.blue.all()).doesNotContainKey("logs/2");
    assertThat(world.logged()).isEmpty();
    assertThat(world.counts.intentFailures())
        .contains(new DualWriteCounts.Count("green", "rejected", 1));
  }

  @Test
  void waitForADiskThatHangsNoLongerThanAllowed() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    log.record(new byte[] {'{', '}'}, false, failure -> hold(held, free));
    held.await();
    PendingRequest<IndexResponse> asked = world.ask(IndexAction.INSTANCE, index("1", "a"));
    assertThat(asked.isAnswered()).isFalse();
    world.passWithoutDisk(MAX_WAIT);
    world.until(asked::isAnswered);
    assertThat(asked.response).isNotNull();
    assertSame();
    free.countDown();
  }

  @Test
  void encodeEveryKindOfLocation() throws IOException {
    List<RepairEntry.Document> documents =
        List.of(
            new RepairEntry.Document("a", "a-1", "1", null),
            new RepairEntry.Document("a", "a-1", "2\"\n", null),
            new RepairEntry.Document("a", "a-1", "2", "r"),
            new RepairEntry.Document("a", "a-1", "2", null, "r", true),
            new RepairEntry.Document("a", "a-1", "2", "r", null, false),
            new RepairEntry.Document("b", "a-1", "2", null));
    byte[] payload = IntentCodec.encode(Instant.EPOCH, "blue", "green", documents);
    assertThat(payload).doesNotContain('\n');
    List<RepairEntry> decoded = new ArrayList<>();
    IntentCodec.decode(payload, IntentCodec.LOST, decoded::add);
    assertThat(decoded)
        .extracting(entry -> ((DocumentEntry) entry).document())
        .isEqualTo(documents);
  }
}
