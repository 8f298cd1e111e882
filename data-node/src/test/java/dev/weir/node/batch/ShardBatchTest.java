package dev.weir.node.batch;

import static dev.weir.node.batch.LoneNode.entry;
import static dev.weir.node.batch.LoneNode.fetch;
import static dev.weir.node.batch.LoneNode.query;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.UnwritableException;
import dev.weir.node.batch.LoneNode.Answer;
import dev.weir.node.batch.LoneNode.Gateway;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.search.TotalHits;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalValueCount;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.search.query.QuerySearchResult;
import org.opensearch.tasks.CancellableTask;

/** What a node does with batches. */
final class ShardBatchTest {
  private static final TaskId PARENT = new TaskId("n1", 1_000_000_000_007L);
  private static final int MANY_BYTES = 1 << 20;

  private final LoneNode node = new LoneNode();

  @AfterEach
  void stop() throws InterruptedException {
    assertThat(node.service.keptBatches()).isZero();
    node.awaitNothingHeld();
    node.close();
  }

  private static Writeable free(String text) {
    return entry(SearchTransportService.FREE_CONTEXT_ACTION_NAME, text, TaskId.EMPTY_TASK_ID);
  }

  private void answer(String... requests) throws Exception {
    for (String request : requests) {
      node.take(request).answer(request);
    }
  }

  @Test
  void answersOnceAllIsDone() throws Exception {
    Gateway gateway =
        node.send(PARENT, MANY_BYTES, 0, fetch("a", PARENT), free("free"), fetch("b", PARENT));
    assertThat(node.waiting("a").task().getParentTaskId()).isEqualTo(PARENT);
    assertThat(node.waiting("a").task().getAction())
        .isEqualTo(SearchTransportService.FETCH_ID_ACTION_NAME);
    answer("b");
    assertThat(gateway.isWaiting()).isTrue();
    answer("a");
    assertThat(gateway.answer())
        .isEqualTo(new Answer(null, List.of(), List.of("1: free", "2: b", "0: a")));
    assertThat(gateway.headers.get("Warning")).containsExactlyInAnyOrder("on a", "on b", "on free");
    assertThat(node.transport.getTaskManager().getTasks()).isEmpty();
  }

  @Test
  void failsARequestAlone() throws Exception {
    Gateway gateway =
        node.send(
            PARENT,
            MANY_BYTES,
            0,
            entry("indices:data/write/bulk[s]", "a", PARENT),
            free("refuse this"),
            out -> {
              out.writeString(SearchTransportService.FETCH_ID_ACTION_NAME);
              out.writeBytesReference(new BytesArray(new byte[] {0, 100}));
            },
            fetch("unwritable", PARENT),
            free("free"));
    answer("unwritable");
    List<String> results = gateway.answer().results();
    assertThat(results).hasSize(5).contains("1: refuse this", "3: unwritable", "4: free");
    assertThat(results.getFirst()).contains("got a batched indices:data/write/bulk[s]");
    assertThat(results.get(2)).startsWith("2: ").isNotEqualTo("2: ");
  }

  @Test
  void beginsTheNextRequestAfterAFailureThatCanNotBeWritten() throws Exception {
    Gateway gateway = node.send(PARENT, MANY_BYTES, 0, 1, fetch("a", PARENT), fetch("b", PARENT));
    node.take("a").channel().sendResponse(new UnwritableException());
    assertThat(node.started()).containsExactly("b");
    answer("b");
    assertThat(gateway.answer())
        .isEqualTo(
            new Answer(
                null,
                List.of(),
                List.of(
                    "0: got a failure that can't be sent: ["
                        + UnwritableException.class.getName()
                        + "]",
                    "1: b")));
  }

  @Test
  void answersLargeResultsInParts() throws Exception {
    Gateway first = node.send(PARENT, 10, 0, fetch("a", PARENT), fetch("long text", PARENT));
    answer("long text");
    Answer part = first.answer();
    assertThat(part.results()).containsExactly("1: long text");
    Gateway second = node.next(part.more(), true);
    assertThat(second.isWaiting()).isTrue();
    answer("a");
    assertThat(second.answer()).isEqualTo(new Answer(null, List.of(), List.of("0: a")));
  }

  @Test
  void answersQueriesThatHaveWaited() throws Exception {
    Gateway first = node.send(TaskId.EMPTY_TASK_ID, MANY_BYTES, 1, query("a"), query("b"));
    answer("b");
    Answer wave = first.answer();
    assertThat(wave.results()).containsExactly("1: b");
    assertThat(wave.beginnings()).containsExactly("1: 2");
    answer("a");
    Gateway second = node.next(wave.more(), true);
    assertThat(second.answer()).isEqualTo(new Answer(null, List.of("0: 2"), List.of("0: a")));
  }

  @Test
  void putsFewQueriesIntoOneResponse() throws Exception {
    Writeable[] queries =
        IntStream.range(0, 20).mapToObj(i -> query("query " + i)).toArray(Writeable[]::new);
    Gateway first = node.send(TaskId.EMPTY_TASK_ID, MANY_BYTES, 1, queries);
    answer("query 0");
    Answer wave = first.answer();
    assertThat(wave.results()).containsExactly("0: query 0");
    for (int i = 1; i < 19; i++) {
      answer("query " + i);
    }
    wave = node.next(wave.more(), true).answer();
    assertThat(wave.results()).hasSize(16);
    wave = node.next(wave.more(), true).answer();
    assertThat(wave.results()).as("do not wait for the last").hasSize(2);
    answer("query 19");
    assertThat(node.next(wave.more(), true).answer().batch()).isNull();
  }

  @Test
  void carriesOutFewRequestsAtATime() throws Exception {
    Writeable[] queries =
        IntStream.range(0, 5).mapToObj(i -> query("query " + i)).toArray(Writeable[]::new);
    Gateway gateway = node.send(TaskId.EMPTY_TASK_ID, MANY_BYTES, 0, 2, queries);
    assertThat(node.started()).containsExactlyInAnyOrder("query 0", "query 1");
    answer("query 1");
    assertThat(node.started()).containsExactlyInAnyOrder("query 0", "query 2");
    answer("query 2", "query 3", "query 0", "query 4");
    assertThat(gateway.answer().results())
        .containsExactly("1: query 1", "2: query 2", "3: query 3", "0: query 0", "4: query 4");
  }

  @Test
  void beginsNoRequestWhileOneResponseWaits() throws Exception {
    Writeable[] queries =
        IntStream.range(0, 4).mapToObj(i -> query("query " + i)).toArray(Writeable[]::new);
    Gateway gateway = node.send(TaskId.EMPTY_TASK_ID, 1, 0, 1, queries);
    answer("query 0");
    Answer first = gateway.answer();
    answer("query 1");
    assertThat(node.started()).as("nobody asks for the second result").isEmpty();
    Answer second = node.next(first.more(), true).answer();
    assertThat(second.results()).containsExactly("1: query 1");
    assertThat(node.started()).containsExactly("query 2");
    node.next(second.more(), false);
    answer("query 2");
    assertThat(node.started()).as("after nobody wants more").isEmpty();
    assertThat(node.transport.getTaskManager().getTasks()).isEmpty();
  }

  @Test
  void beginsNoQueryWhileAsManyResultsWaitAsOneResponseHas() throws Exception {
    Writeable[] queries =
        IntStream.range(0, 40).mapToObj(i -> query("query " + i)).toArray(Writeable[]::new);
    Gateway gateway = node.send(TaskId.EMPTY_TASK_ID, MANY_BYTES, 1, 2, queries);
    answer("query 0");
    Answer first = gateway.answer();
    assertThat(first.results()).containsExactly("0: query 0");
    for (int i = 1; i <= 17; i++) {
      node.awaitStarted("query " + i);
      answer("query " + i);
    }
    assertThat(node.started()).as("nobody asks for those that wait").isEmpty();
    Answer second = node.next(first.more(), true).answer();
    assertThat(second.results()).hasSize(16);
    node.awaitStarted("query 18");
    node.awaitStarted("query 19");
    node.next(second.more(), false);
    answer("query 18", "query 19");
    assertThat(node.started()).as("after nobody wants more").isEmpty();
  }

  @Test
  void forgetsRequestsThatHaveEnded() throws Exception {
    Gateway gateway = node.send(PARENT, MANY_BYTES, 0, fetch("a", PARENT), fetch("b", PARENT));
    answer("a");
    assertThat(node.isForgotten("a")).isTrue();
    answer("b");
    assertThat(gateway.answer().results()).containsExactly("0: a", "1: b");
  }

  /** The result of a query with some hits of one score, of a hundred in all. */
  static QuerySearchResult found(int hits, float score) {
    ScoreDoc[] docs =
        IntStream.range(0, hits).mapToObj(i -> new ScoreDoc(i, score)).toArray(ScoreDoc[]::new);
    QuerySearchResult result =
        new QuerySearchResult(
            new ShardSearchContextId("0123456789012345678901", 7),
            null,
            new OpeningQuery("found", TaskId.EMPTY_TASK_ID));
    result.from(0);
    result.size(hits);
    result.topDocs(
        new TopDocsAndMaxScore(
            new TopDocs(new TotalHits(100, TotalHits.Relation.EQUAL_TO), docs), score),
        null);
    return result;
  }

  @Test
  void leavesHitsOutThatCannotBeInTheResponse() throws Exception {
    Gateway gateway = node.sendReduced(4, query("a"), query("b"), query("c"), query("d"));
    QuerySearchResult worst = found(3, 1);
    node.take("d").answer(found(2, 5));
    node.take("a").answer(worst);
    node.take("b").answer("text");
    node.take("c").answer(found(3, 5));
    Answer answer = gateway.answer();
    assertThat(answer.results())
        .containsExactly(
            "3: 1 of 100, 1 left out", "0: 0 of 100, 3 left out", "1: text", "2: 3 of 100");
    assertThat(answer.beginnings())
        .as("contexts")
        .containsExactly("3: 32", "0: 0", "1: 5", "2: 32");
    assertThat(worst.getShardSearchRequest()).as("what only a fetch needs").isNull();
    assertThat(worst.getMaxScore()).isEqualTo(1);
  }

  static QuerySearchResult counted(QuerySearchResult of, InternalAggregation... all) {
    of.aggregations(InternalAggregations.from(List.of(all)));
    return of;
  }

  @Test
  void mergesAggregationsIntoTheFirstShard() throws Exception {
    Gateway gateway = node.sendMerged(2, 1 + 4, query("a"), query("b"), query("c"), query("d"));
    node.take("c").answer(counted(found(1, 5), new InternalValueCount("n", 3, null)));
    node.take("b").answer(counted(found(1, 5), new InternalValueCount("n", 4, null)));
    node.take("a").answer("text");
    node.take("d").answer(counted(found(1, 1), new InternalValueCount("n", 5, null)));
    assertThat(gateway.answer().results())
        .containsExactly(
            "2: 1 of 100, aggregations:, merged",
            "1: 1 of 100, aggregations: n=12, merged",
            "0: text",
            "3: 0 of 100, aggregations:, 1 left out, merged");
  }

  @Test
  void keepsAggregationsThatDoNotMerge() throws Exception {
    Gateway gateway = node.sendMerged(2, 4, query("a"), query("b"));
    InternalAvg average = new InternalAvg("n", 0.1, 1, DocValueFormat.RAW, null);
    node.take("a").answer(counted(found(3, 5), average));
    node.take("b").answer(counted(found(3, 5), average));
    Answer answer = gateway.answer();
    assertThat(answer.results())
        .containsExactly("0: 3 of 100, aggregations: n", "1: 3 of 100, aggregations: n");
    assertThat(answer.beginnings()).as("contexts").containsExactly("0: 32", "1: 32");
  }

  static InternalAggregation terms(String... words) {
    List<StringTerms.Bucket> buckets = new ArrayList<>();
    for (String word : words) {
      buckets.add(
          new StringTerms.Bucket(
              new BytesRef(word), 1, InternalAggregations.EMPTY, false, 0, DocValueFormat.RAW));
    }
    BucketOrder byCount = BucketOrder.compound(BucketOrder.count(false));
    return new StringTerms(
        "t",
        BucketOrder.key(true),
        byCount,
        null,
        DocValueFormat.RAW,
        2,
        false,
        0,
        buckets,
        0,
        new BucketCountThresholds(1, 0, 1, 2));
  }

  /** Terms that would show an error only if they were merged: the attempt changes nothing. */
  @Test
  void keepsTermsThatDoNotMerge() throws Exception {
    Gateway gateway = node.sendMerged(2, 4, query("a"), query("b"));
    node.take("a").answer(counted(found(1, 5), terms("x")));
    node.take("b").answer(counted(found(1, 5), terms("y")));
    assertThat(gateway.answer().results())
        .containsExactly("0: 1 of 100, aggregations: t", "1: 1 of 100, aggregations: t");
  }

  @Test
  void leavesSortedHitsOut() throws Exception {
    Gateway gateway = node.sendMerged(2, 2, query("a"), query("b"));
    node.take("b").answer(sorted(1, 4));
    node.take("a").answer(sorted(2, 4, 6));
    assertThat(gateway.answer().results())
        .containsExactly("1: 1 of 100, 1 left out", "0: 1 of 100, 2 left out");
  }

  /** The result of a query with hits that have these numbers as sort values. */
  private static QuerySearchResult sorted(long... values) {
    QuerySearchResult result = found(0, Float.NaN);
    ScoreDoc[] hits =
        LongStream.of(values)
            .mapToObj(value -> new FieldDoc(7, Float.NaN, new Object[] {value}))
            .toArray(ScoreDoc[]::new);
    result.topDocs(
        new TopDocsAndMaxScore(
            new TopFieldDocs(
                new TotalHits(100, TotalHits.Relation.EQUAL_TO),
                hits,
                new SortField[] {new SortField("n", SortField.Type.LONG)}),
            Float.NaN),
        new DocValueFormat[] {DocValueFormat.RAW});
    return result;
  }

  @Test
  void putsManyReducedResultsIntoOneResponse() throws Exception {
    Writeable[] queries =
        IntStream.range(0, 100).mapToObj(i -> query("query " + i)).toArray(Writeable[]::new);
    Gateway gateway = node.sendReduced(10, queries);
    for (int i = 0; i < queries.length; i++) {
      node.take("query " + i).answer(found(10, 1));
    }
    Answer answer = gateway.answer();
    assertThat(answer.results())
        .hasSize(100)
        .startsWith("0: 10 of 100", "1: 0 of 100, 10 left out");
    assertThat(answer.batch()).isNull();
  }

  /** A search context ends with its keep-alive where it can't be freed. */
  @Test
  void sendsEachResultOnceAlthoughNoSearchContextCanBeFreed() throws Exception {
    node.freeingFailure = new IllegalStateException("a search context, on purpose");
    Writeable[] queries =
        IntStream.range(0, 17).mapToObj(i -> query("query " + i)).toArray(Writeable[]::new);
    int maxHits = 27; // then a response has 16 results
    Gateway gateway = node.sendReduced(maxHits, queries);
    for (int i = 0; i < 16; i++) {
      node.take("query " + i).answer(found(0, 1));
    }
    Answer answer = gateway.answer();
    List<String> results = new ArrayList<>(answer.results());
    node.take("query 16").answer(found(0, 1));
    while (answer.batch() != null) {
      answer = node.next(answer.more(), true).answer();
      results.addAll(answer.results());
    }
    assertThat(results)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 17).mapToObj(i -> i + ": 0 of 100").toList());
    assertThat(gateway.isWaiting()).as("after one response").isTrue();
    node.awaitFreed(17);
  }

  @Test
  void failsABatchWhoseResultsCanNotBeReduced() throws Exception {
    Gateway gateway = node.sendMerged(2, 4, 0, query("a"), query("b"));
    InternalValueCount nameless =
        new InternalValueCount("n", 3, null) {
          @Override
          public String getName() {
            throw new IllegalStateException("no name, on purpose");
          }
        };
    node.take("a").answer(counted(found(1, 5), nameless));
    node.take("b").answer(counted(found(1, 5), nameless));
    assertThat(gateway.failure()).hasMessage("no name, on purpose");
    assertThat(gateway.isWaiting()).as("after one response").isTrue();
    node.awaitFreed(2);
  }

  @Test
  void cancelsTheRequestsWithTheMessageThatWaits() throws Exception {
    Gateway gateway =
        node.send(TaskId.EMPTY_TASK_ID, MANY_BYTES, 0, fetch("a", PARENT), fetch("b", PARENT));
    CancellableTask message =
        node.transport.getTaskManager().getCancellableTasks().values().stream()
            .filter(task -> task.getAction().equals(ShardBatchService.ACTION))
            .findFirst()
            .orElseThrow();
    node.transport.getTaskManager().cancel(message, "connection closed", () -> {});
    assertThat(node.waiting("a").task().isCancelled()).isTrue();
    assertThat(node.waiting("b").task().isCancelled()).isTrue();
    answer("a", "b");
    assertThat(gateway.answer().results()).hasSize(2);
  }

  @Test
  void dropsWhatNobodyWaitsFor() throws Exception {
    Gateway first = node.send(PARENT, 1, 0, fetch("a", PARENT), fetch("b", PARENT));
    answer("a");
    long batch = first.answer().more();
    assertThat(node.waiting("b").task().isCancelled()).isFalse();
    node.next(batch, false);
    assertThat(node.waiting("b").task().isCancelled())
        .as("other requests have the same parent")
        .isFalse();
    answer("b");
    assertThat(node.next(batch, true).failure()).hasMessageContaining("got batch " + batch);
  }

  /** The node refuses the message that asks: its task belongs to the cancelled search. */
  @Test
  void dropsWhatACancelledSearchDoesNotWaitFor() throws Exception {
    Gateway first = node.send(PARENT, 1, 0, fetch("a", PARENT), fetch("b", PARENT));
    answer("a");
    long batch = first.answer().more();
    node.ban(PARENT);
    assertThat(node.next(batch, true, PARENT).failure()).isInstanceOf(TaskCancelledException.class);
    assertThat(node.service.keptBatches()).isOne();
    assertThat(node.next(batch, false, PARENT).isWaiting()).isFalse();
    assertThat(node.service.keptBatches()).isZero();
    answer("b");
  }
}
