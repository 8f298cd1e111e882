package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.dual.DualWriteFixture.PendingRequest;
import dev.weir.model.PassThroughException;
import dev.weir.rest.ForwardedBulkAction;
import dev.weir.rest.PassThroughReasons;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.UnavailableShardsException;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.delete.DeleteAction;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.delete.DeleteResponse;
import org.opensearch.action.get.GetAction;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.get.MultiGetAction;
import org.opensearch.action.index.IndexAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.action.update.UpdateAction;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;

class DualWriteFilterTest extends DualWriteTestCase {
  private static <R> R answer(PendingRequest<R> asked) {
    return Objects.requireNonNull(asked.response);
  }

  @Test
  void leavesReadsAlone() {
    world.blue.put("logs", "1", 1, "{}");
    PendingRequest<GetResponse> got =
        world.answered(GetAction.INSTANCE, new GetRequest("logs", "1"));
    assertThat(got.response).isNotNull();
    assertThat(world.green.calls()).isEmpty();
  }

  @Test
  void repeatAcknowledgedWritesWithIdAndVersion() {
    world.blue.put("logs", "7", 6, "{}");
    world.green.put("logs", "7", 6, "{}");
    world.answered(IndexAction.INSTANCE, index("7", "a"));
    PendingRequest<IndexResponse> minted =
        world.answered(
            IndexAction.INSTANCE, new IndexRequest("logs").source("{\"v\":1}", XContentType.JSON));
    assertThat(minted.response).isNotNull();
    assertThat(minted.answers).isOne();
    assertThat(world.green.all())
        .containsEntry("logs/7", "7:{\"v\":\"a\"}")
        .containsEntry("logs/minted-1", "1:{\"v\":1}");
    world.answered(DeleteAction.INSTANCE, new DeleteRequest("logs", "7"));
    assertSame();
    assertThat(outcome(DualWriteOutcome.WRITTEN)).isEqualTo(3);
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void answersWithTheFirstClustersAnswerOnceTheOtherOneHasIt() {
    List<Runnable> waiting = new ArrayList<>();
    world.green.run(waiting::add);
    PendingRequest<IndexResponse> asked = world.ask(IndexAction.INSTANCE, index("1", "a"));
    assertThat(asked.isAnswered()).isFalse();
    assertThat(world.blue.all()).hasSize(1);
    waiting.forEach(Runnable::run);
    world.settle();
    assertThat(asked.response).isNotNull();
  }

  @Test
  void repeatOnlySuccessfulItemsOfABulk() {
    world.blue.refusing(
        write -> write.id().equals("2") ? refusal(RestStatus.BAD_REQUEST, "no") : null);
    BulkRequest bulk = new BulkRequest();
    bulk.add(index("1", "a"));
    bulk.add(index("2", "b"));
    bulk.add(new DeleteRequest("logs", "3"));
    bulk.add(update("4", "d"));
    bulk.setRefreshPolicy(WriteRequest.RefreshPolicy.IMMEDIATE);
    PendingRequest<BulkResponse> asked = world.answered(BulkAction.INSTANCE, bulk);
    assertThat(answer(asked).getItems()).hasSize(4);
    assertThat(answer(asked).getItems()[1].isFailed()).isTrue();
    assertSame();
    BulkRequest sent = (BulkRequest) world.green.calls().getFirst().request();
    assertThat(sent.requests()).extracting(DocWriteRequest::id).containsExactly("1", "3");
    assertThat(sent.getRefreshPolicy()).isEqualTo(WriteRequest.RefreshPolicy.IMMEDIATE);
    assertThat(outcome(DualWriteOutcome.WRITTEN)).isEqualTo(3);
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void writeTheDocumentThatAnUpdateProduced() {
    world.answered(UpdateAction.INSTANCE, update("1", "a"));
    assertThat(world.green.all()).containsEntry("logs/1", "1:{\"updated\":{\"v\":\"a\"}}");
    long writes = world.green.calls().size();
    PendingRequest<UpdateResponse> noop = world.answered(UpdateAction.INSTANCE, update("1", "a"));
    assertThat(answer(noop).getResult().getLowercase()).isEqualTo("noop");
    assertThat(world.green.calls()).hasSize((int) writes);
  }

  @Test
  void deleteADocumentThatAnUpdateReadBackDoesNotFind() {
    List<Runnable> reads = new ArrayList<>();
    world.green.put("logs", "1", 1, "{}");
    world.answered(UpdateAction.INSTANCE, update("1", "a"));
    world.blue.run(task -> {
      if (world.blue.calls().getLast().action().equals(MultiGetAction.NAME)) {
        reads.add(task);
      } else {
        task.run();
      }
    });
    PendingRequest<UpdateResponse> asked = world.ask(UpdateAction.INSTANCE, update("1", "b"));
    world.answered(DeleteAction.INSTANCE, new DeleteRequest("logs", "1"));
    world.blue.run(Runnable::run);
    reads.forEach(Runnable::run);
    world.until(asked::isAnswered);
    assertSame();
    assertThat(world.green.all()).isEmpty();
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void logWritesThatTheOtherClusterRejects() {
    world.green.refusing(write ->
        write.id().equals("2")
            ? refusal(RestStatus.TOO_MANY_REQUESTS, "full")
            : write.id().equals("3") ? new IllegalArgumentException("mapping") : null);
    BulkRequest bulk = new BulkRequest();
    List.of("1", "2", "3", "4").forEach(id -> bulk.add(index(id, id)));
    PendingRequest<BulkResponse> asked = world.answered(BulkAction.INSTANCE, bulk);
    assertThat(answer(asked).hasFailures()).isFalse();
    assertThat(world.loggedDocuments())
        .containsExactly("index 2 1 status_exception", "index 3 1 illegal_argument_exception");
    assertThat(outcome(DualWriteOutcome.WRITTEN)).isEqualTo(2);
    assertThat(outcome(DualWriteOutcome.FAILED)).isEqualTo(2);
    assertThat(world.counts.failures())
        .contains(new DualWriteCounts.Count("green", "illegal_argument_exception", 1));
    assertThat(world.counts.logged("green")).isEqualTo(2);
  }

  @Test
  void logLateWritesAndThenRespond() {
    List<Runnable> late = new ArrayList<>();
    world.green.run(late::add);
    PendingRequest<IndexResponse> asked = world.ask(IndexAction.INSTANCE, index("1", "a"));
    world.pass(DualWriteFixture.TIMEOUT.minusMillis(1));
    assertThat(asked.isAnswered()).isFalse();
    world.pass(Duration.ofMillis(1));
    world.until(asked::isAnswered);
    assertThat(asked.response).isNotNull();
    assertThat(asked.context.resources().isBodyRetained()).isTrue();
    assertThat(world.loggedDocuments()).containsExactly("index 1 1 timeout");
    assertThat(outcome(DualWriteOutcome.TIMED_OUT)).isOne();
    late.forEach(Runnable::run); // the write succeeds late
    world.settle();
    assertThat(asked.answers).isOne();
    assertSame();
    assertThat(outcome(DualWriteOutcome.WRITTEN)).isZero();
    assertThat(world.green.calls().getFirst().context().cancelReason()).isNotNull();
  }

  @Test
  void doesNotWaitForAClusterThatIsNotReached() {
    world.reachable(false);
    BulkRequest bulk = new BulkRequest();
    bulk.add(index("1", "a"));
    bulk.add(new DeleteRequest("logs", "2"));
    world.answered(BulkAction.INSTANCE, bulk);
    assertThat(world.loggedDocuments())
        .containsExactly("index 1 1 unreachable", "delete 2 1 unreachable");
    assertThat(outcome(DualWriteOutcome.UNREACHABLE)).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void triesAClusterThatDoesNotAnswerNowAndThen(boolean saysSo) {
    world.green.saysThatItIsLate(saysSo);
    world.green.silent(true);
    for (int i = 0; i < TargetCircuitBreaker.MAX_FAILURES; i++) {
      PendingRequest<IndexResponse> asked = world.ask(IndexAction.INSTANCE, index("1", "a"));
      world.pass(DualWriteFixture.TIMEOUT);
      world.until(asked::isAnswered);
    }
    assertThat(outcome(DualWriteOutcome.TIMED_OUT)).isEqualTo(TargetCircuitBreaker.MAX_FAILURES);
    int tried = world.green.calls().size();
    world.answered(IndexAction.INSTANCE, index("2", "a"));
    assertThat(world.green.calls()).hasSize(tried);
    world.green.silent(false);
    world.pass(TargetCircuitBreaker.PROBE_INTERVAL);
    world.answered(IndexAction.INSTANCE, index("3", "a"));
    world.answered(IndexAction.INSTANCE, index("4", "a"));
    assertThat(world.green.calls()).hasSize(tried + 2);
    assertThat(outcome(DualWriteOutcome.WRITTEN)).isEqualTo(2);
  }

  @Test
  void answersAlsoWhereTheLogCantBeWritten() throws IOException {
    Path blocked = directory.resolve("file");
    Files.writeString(blocked, "no directory");
    try (DualWriteFixture other = new DualWriteFixture(blocked)) {
      other.reachable(false);
      PendingRequest<IndexResponse> asked = other.answered(IndexAction.INSTANCE, index("1", "a"));
      assertThat(asked.response).isNotNull();
      assertThat(other.counts.unlogged("green")).isOne();
      assertThat(other.counts.logged("green")).isZero();
      assertThat(other.held()).isZero();
    }
  }

  @Test
  void goesOnWithoutItsClient() {
    List<Runnable> waiting = new ArrayList<>();
    world.green.run(waiting::add);
    PendingRequest<IndexResponse> asked = world.ask(IndexAction.INSTANCE, index("1", "a"));
    asked.context.abandon();
    waiting.forEach(Runnable::run);
    world.settle();
    assertSame();
    assertThat(asked.answers).isOne();
  }

  @Test
  void logWritesOfUnknownOutcome() {
    world.blue.refusing(write ->
        switch (write.id()) {
          case "1" -> refusal(RestStatus.REQUEST_TIMEOUT, "the outcome is not known");
          case "2" -> refusal(RestStatus.TOO_MANY_REQUESTS, "it was not done");
          default -> null;
        });
    BulkRequest bulk = new BulkRequest();
    List.of("1", "2", "3").forEach(id -> bulk.add(index(id, id)));
    world.answered(BulkAction.INSTANCE, bulk);
    PendingRequest<DeleteResponse> single =
        world.answered(DeleteAction.INSTANCE, new DeleteRequest("logs", "1"));
    assertThat(single.failure).hasMessageContaining("not known");
    assertThat(world.loggedDocuments())
        .containsExactly("unknown 1 0 status_exception", "unknown 1 0 status_exception");
    assertThat(outcome(DualWriteOutcome.UNKNOWN)).isEqualTo(2);
    assertThat(world.green.all()).containsOnlyKeys("logs/3");
  }

  /** A node that lost the primary's node may report the last attempt only. */
  @Test
  void logWritesOfWhichThePrimaryWasGone() {
    ShardId shard = new ShardId("logs", "uuid", 0);
    world.blue.refusing(
        write -> new UnavailableShardsException(shard, "primary shard is not active"));
    world.answered(BulkAction.INSTANCE, new BulkRequest().add(index("1", "a")));
    assertThat(world.loggedDocuments()).containsExactly("unknown 1 0 unavailable_shards_exception");
  }

  @Test
  void logWritesThatANodeCoordinatedAndTheirPrimaryRejected() {
    world.blue.throwing(new PassThroughException(PassThroughReasons.INGEST_PIPELINE));
    world.blue.refusing(write -> refusal(RestStatus.TOO_MANY_REQUESTS, "full"));
    world.answered(BulkAction.INSTANCE, new BulkRequest().add(index("1", "a")));
    assertThat(world.loggedDocuments()).containsExactly("unknown 1 0 status_exception");
  }

  @Test
  void logCancelledWritesWithoutAResponse() {
    world.blue.silent(true);
    PendingRequest<IndexResponse> asked = world.ask(IndexAction.INSTANCE, index("1", "a"));
    asked.context.cancel("a defect");
    asked.context.end();
    world.until(() -> world.counts.logged("green") == 1);
    assertThat(world.loggedDocuments()).containsExactly("unknown 1 0 illegal_state_exception");
    assertThat(asked.answers).isZero();
  }

  @Test
  void rejectBeforeWritingWithoutMemory() {
    world.most(100);
    PendingRequest<IndexResponse> asked = world.answered(IndexAction.INSTANCE, index("1", "a"));
    assertThat(asked.failure).isInstanceOf(CircuitBreakingException.class);
    assertThat(world.blue.calls()).isEmpty();
  }

  @Test
  void readBackTheResultOfAnIngestPipeline() {
    world.blue.throwing(new PassThroughException(PassThroughReasons.INGEST_PIPELINE));
    world.blue.making(write -> "{\"made\":true}");
    BulkRequest bulk = new BulkRequest();
    bulk.add(index("1", "a"));
    PendingRequest<BulkResponse> asked = world.ask(BulkAction.INSTANCE, bulk);
    assertThat(world.blue.calls(ForwardedBulkAction.INSTANCE.name())).isOne();
    world.until(asked::isAnswered);
    // reading back fails too
    assertThat(world.loggedDocuments()).hasSize(1);
    world.blue.throwing(null);
    PendingRequest<BulkResponse> byNode =
        world.answered(ForwardedBulkAction.INSTANCE, new BulkRequest().add(index("2", "b")));
    assertThat(answer(byNode).hasFailures()).isFalse();
    assertThat(world.green.all()).containsEntry("logs/2", "1:{\"made\":true}");
    IndexRequest sent =
        (IndexRequest) ((BulkRequest) world.green.calls().getLast().request()).requests().get(0);
    assertThat(sent.getPipeline()).isEqualTo("_none");
  }

  @Test
  void passThroughWritesThatOnlyANodeCanDo() {
    world.blue.throwing(new PassThroughException(PassThroughReasons.SYSTEM_INDEX));
    PendingRequest<IndexResponse> asked = world.answered(IndexAction.INSTANCE, index("1", "a"));
    assertThat(asked.failure).isInstanceOf(PassThroughException.class);
    assertThat(world.green.calls()).isEmpty();
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void passThroughToTheOtherClusterWhatOnlyANodeCanDo() {
    world.green.throwing(new PassThroughException(PassThroughReasons.INGEST_PIPELINE));
    world.answered(IndexAction.INSTANCE, index("1", "a"));
    assertThat(world.green.calls(ForwardedBulkAction.INSTANCE.name())).isOne();
    assertSame();
  }

  @Test
  void createsInDataStreams() {
    world.blue.alias("metrics", ".ds-metrics-000001");
    world.green.alias("metrics", ".ds-metrics-000001");
    IndexRequest create =
        new IndexRequest("metrics")
            .id("1")
            .opType(DocWriteRequest.OpType.CREATE)
            .source("{}", XContentType.JSON);
    world.answered(IndexAction.INSTANCE, create);
    assertSame();
    assertThat(world.green.all()).hasSize(1);
    world.blue.forgetDeleted();
    world.green.alias("other", ".ds-other-000001");
    world.blue.alias("other", "other-1");
    world.answered(IndexAction.INSTANCE, index("2", "a").index("other"));
    assertThat(world.green.all()).containsKey(".ds-other-000001/2");
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void takesAConflictForALaterWriteWhereThereIsOne() {
    List<Runnable> waiting = new ArrayList<>();
    world.green.run(waiting::add);
    PendingRequest<IndexResponse> first = world.ask(IndexAction.INSTANCE, index("1", "a"));
    PendingRequest<IndexResponse> second = world.ask(IndexAction.INSTANCE, index("1", "b"));
    waiting.reversed().forEach(Runnable::run);
    world.until(() -> first.isAnswered() && second.isAnswered());
    assertSame();
    assertThat(outcome(DualWriteOutcome.SUPERSEDED)).isOne();
    assertThat(world.logged()).isEmpty();
  }

  @Test
  void logsAConflictWithAnEarlierLife() {
    world.green.put("logs", "1", 9, "{}"); // its deletion did not get here
    world.answered(IndexAction.INSTANCE, index("1", "a"));
    world.green.put("logs", "2", 9, "{}");
    world.answered(DeleteAction.INSTANCE, new DeleteRequest("logs", "2"));
    assertThat(world.loggedDocuments())
        .containsExactly("index 1 1 version_conflict", "delete 2 1 version_conflict");
  }

  @Test
  void callsIndicesAsTheOtherClusterDoes() {
    world.names(name -> name.equals("logs") ? "logs-v2" : name);
    world.answered(IndexAction.INSTANCE, index("1", "a"));
    assertThat(world.green.all()).containsOnlyKeys("logs-v2/1");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void equalizeTheClustersByRepairingTheLog(long seed) throws Exception {
    Random random = new Random(seed);
    List<Runnable> tasks = new ArrayList<>();
    world.blue.run(tasks::add);
    world.green.run(tasks::add);
    List<PendingRequest<?>> asked = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      if (random.nextInt(10) == 0) {
        int kind = random.nextInt(4);
        world.reachable(kind != 0);
        world.green.silent(kind == 1);
        world.green.refusing(write ->
            kind == 2 && random.nextBoolean()
                ? refusal(RestStatus.TOO_MANY_REQUESTS, "full")
                : null);
      }
      asked.add(ask(random, i));
      while (tasks.size() > random.nextInt(6)) {
        tasks.remove(random.nextInt(tasks.size())).run();
        world.settle();
      }
      if (random.nextInt(20) == 0) {
        world.pass(DualWriteFixture.TIMEOUT);
      }
    }
    world.until(() -> {
      while (!tasks.isEmpty()) {
        tasks.removeLast().run();
        world.settle();
      }
      world.pass(DualWriteFixture.TIMEOUT);
      return asked.stream().allMatch(PendingRequest::isAnswered);
    });
    assertThat(asked).allMatch(one -> one.answers == 1);
    assertThat(world.held()).isZero();
    world.green.silent(false);
    world.green.refusing(write -> null);
    world.blue.run(Runnable::run);
    world.green.run(Runnable::run);
    boolean whole = RepairFixture.run(world, directory, false);
    assertThat(whole).isTrue();
    assertSame();
    assertThat(RepairLogFile.listPending(directory)).isEmpty();
  }

  private PendingRequest<?> ask(Random random, int i) {
    String id = "d" + random.nextInt(6);
    return switch (random.nextInt(5)) {
      case 0 -> world.ask(DeleteAction.INSTANCE, new DeleteRequest("logs", id));
      case 1 -> world.ask(UpdateAction.INSTANCE, update(id, "u" + i));
      case 2 -> {
        BulkRequest bulk = new BulkRequest();
        for (int item = 0; item < 4; item++) {
          String of = "d" + random.nextInt(6);
          switch (random.nextInt(4)) {
            case 0 -> bulk.add(new DeleteRequest("logs", of));
            case 1 -> bulk.add(update(of, "b" + i));
            default -> bulk.add(index(of, "b" + i + "." + item));
          }
        }
        yield world.ask(BulkAction.INSTANCE, bulk);
      }
      default -> world.ask(IndexAction.INSTANCE, index(id, "i" + i));
    };
  }

  @Test
  void talliesByCluster() {
    world.answered(IndexAction.INSTANCE, index("1", "a"));
    assertThat(world.counts.clusterNames()).containsExactly("green");
    assertThat(world.counts.outcomes())
        .contains(new DualWriteCounts.Count("green", "written", 1))
        .hasSize(DualWriteOutcome.values().length);
  }
}
