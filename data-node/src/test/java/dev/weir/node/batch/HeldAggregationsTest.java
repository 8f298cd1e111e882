package dev.weir.node.batch;

import static dev.weir.node.batch.LoneNode.query;
import static dev.weir.node.batch.ShardBatchTest.counted;
import static dev.weir.node.batch.ShardBatchTest.found;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.node.batch.LoneNode.Answer;
import dev.weir.node.batch.LoneNode.Gateway;
import dev.weir.node.reduction.RandomShards;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.aggregations.metrics.InternalMax;
import org.opensearch.search.aggregations.metrics.InternalValueCount;
import org.opensearch.tasks.CancellableTask;

/** What aggregations count that wait for those of other shards, and until when. */
final class HeldAggregationsTest {
  private static final int MERGED = 4;
  private static final int BUCKETS = 2000;

  private LoneNode node = new LoneNode();

  @AfterEach
  void stop() throws InterruptedException {
    node.awaitNothingHeld();
    node.close();
  }

  private void answer(String query, InternalAggregation all) throws Exception {
    node.take(query).answer(counted(found(1, 1), all));
  }

  private static InternalAggregation count(int values) {
    return new InternalValueCount("n", values, null);
  }

  @Test
  void chargesAggregationsUntilTheyAreSent() throws Exception {
    Gateway gateway = node.sendMerged(2, 1 + MERGED, query("a"), query("b"));
    assertThat(node.breaker.getUsed()).isZero();
    answer("a", count(3));
    long one = node.breaker.getUsed();
    assertThat(one).isPositive();
    answer("b", count(4));
    assertThat(gateway.answer().results()).hasSize(2).anyMatch(text -> text.contains("n=7"));
    node.awaitNothingHeld();
  }

  /** Results of which only hits are left out have their aggregations as objects. */
  @Test
  void chargesAggregationsThatDoNotMerge() throws Exception {
    InternalAvg average = new InternalAvg("n", 0.1, 1, DocValueFormat.RAW, null);
    Gateway gateway = node.sendMerged(2, MERGED, query("a"), query("b"));
    answer("a", average);
    assertThat(node.breaker.getUsed()).isPositive();
    answer("b", average);
    assertThat(gateway.answer().results()).hasSize(2);
    node.awaitNothingHeld();

    gateway = node.sendReduced(2, query("c"), query("d"), query("e"));
    node.take("c").answer(found(1, 1));
    assertThat(node.breaker.getUsed()).as("without aggregations").isZero();
    answer("d", average);
    assertThat(node.breaker.getUsed()).isPositive();
    answer("e", average);
    assertThat(gateway.answer().results()).hasSize(3);
  }

  /** The client gets the error that the breaker makes, as one of the shard. */
  @Test
  void refusesWhatTheBreakerDoesNotTake() throws Exception {
    node.close();
    node = new LoneNode("1kb");
    Gateway gateway = node.sendMerged(2, 1 + MERGED, query("a"), query("b"), query("c"));
    answer("a", count(3));
    long before = node.breaker.getUsed();
    answer("b", terms(BUCKETS));
    assertThat(node.breaker.getUsed()).as("a refused result").isEqualTo(before);
    answer("c", count(4));
    List<String> results = gateway.answer().results();
    assertThat(results)
        .hasSize(3)
        .anyMatch(text ->
            text.startsWith("1: ")
                && text.contains("Data too large, data for [<batched_aggregations>]"))
        .anyMatch(text -> text.contains("n=7"));
  }

  @Test
  void releasesWhatNobodyAsksFor() throws Exception {
    Answer first = answerInTwoWaves();
    node.next(first.more(), false);
    assertDropped();
  }

  @Test
  void releasesWhatIsKeptWhenTheNodeCloses() throws Exception {
    answerInTwoWaves();
    node.service.close();
    assertThat(node.service.keptBatches()).isZero();
    assertDropped();
  }

  /** The first result has gone out, the second waits for somebody to ask, the third runs. */
  private Answer answerInTwoWaves() throws Exception {
    Gateway gateway = node.sendMerged(2, MERGED, 1, query("a"), query("b"), query("c"));
    answer("a", count(3));
    Answer first = gateway.answer();
    assertThat(first.results()).hasSize(1);
    node.awaitNothingHeld();
    answer("b", count(4));
    assertThat(node.breaker.getUsed()).isPositive();
    return first;
  }

  private void assertDropped() throws Exception {
    assertThat(node.breaker.getUsed()).isZero();
    answer("c", count(5));
    assertThat(node.breaker.getUsed()).as("a late result").isZero();
  }

  @Test
  void releasesTheResultsOfACancelledSearch() throws Exception {
    Gateway gateway = node.sendMerged(2, MERGED, query("a"), query("b"));
    answer("a", count(3));
    CancellableTask message =
        node.transport.getTaskManager().getCancellableTasks().values().stream()
            .filter(task -> task.getAction().equals(ShardBatchService.MERGED_ACTION))
            .findFirst()
            .orElseThrow();
    node.transport.getTaskManager().cancel(message, "connection closed", () -> {});
    answer("b", count(4));
    assertThat(gateway.answer().results()).hasSize(2);
    node.awaitNothingHeld();
  }

  /** Terms with a long name each, and their greatest value. */
  static InternalAggregation terms(int buckets) {
    return new StringTerms(
        "t",
        BucketOrder.key(true),
        BucketOrder.key(true),
        null,
        DocValueFormat.RAW,
        buckets,
        false,
        0,
        IntStream.range(0, buckets)
            .mapToObj(i ->
                new StringTerms.Bucket(
                    new BytesRef("word-" + i),
                    1,
                    InternalAggregations.from(
                        List.of(new InternalMax("most", i, DocValueFormat.RAW, null))),
                    false,
                    0,
                    DocValueFormat.RAW))
            .toList(),
        0,
        new BucketCountThresholds(1, 0, buckets, buckets));
  }

  /** What a node allocates to read aggregations is about what they take as objects. */
  @Test
  void estimatesWhatObjectsTake() throws Exception {
    InternalAggregations all = InternalAggregations.from(List.of(terms(BUCKETS)));
    BytesStreamOutput out = new BytesStreamOutput();
    all.writeTo(out);
    long bytes = out.bytes().length();
    long estimated =
        new UnwrittenQuery(0, counted(found(1, 1), terms(1)), bytes, bytes, null, null).heldBytes();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    InternalAggregations read = RandomShards.sent(all);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(read.asList()).hasSize(1);
    assertThat(estimated).isBetween(allocated / 3, allocated * 3);
  }
}
