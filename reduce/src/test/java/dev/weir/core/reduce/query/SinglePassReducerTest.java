package dev.weir.core.reduce.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.LimitedMemory;
import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.memory.AggregationShape;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import dev.weir.model.RequestContext;
import dev.weir.protocol.FrameStreamInput;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.search.QueryPhaseResultConsumer;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.action.search.ScoredTopDocs;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchPhaseController;
import org.opensearch.action.search.SearchPhaseController.ReducedQueryPhase;
import org.opensearch.action.search.SearchProgressListener;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lucene.Lucene;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.query.QuerySearchResult;

/** The result equals that of OpenSearch's own class. */
class SinglePassReducerTest {
  private static OpenSearchRegistries registries;

  private final Random random = new Random(3);

  @BeforeAll
  static void readRegistries() {
    registries = OpenSearchRegistries.create();
  }

  private static SearchRequest request(int size, boolean aggregates) {
    SearchSourceBuilder source = new SearchSourceBuilder().size(size);
    if (aggregates) {
      source.aggregation(
          AggregationBuilders.terms("t")
              .field("number")
              .size(5)
              .subAggregation(AggregationBuilders.avg("a").field("other")));
    }
    return new SearchRequest("docs").source(source);
  }

  /** Scores of a shard's top documents, with repetitions, or with some NaN. */
  private static float[] scores(Random random, int count) {
    float[] scores = new float[count];
    int different = 1 + random.nextInt(6);
    boolean odd = random.nextInt(20) == 0;
    for (int i = 0; i < count; i++) {
      scores[i] = random.nextInt(different) - 1 + (random.nextInt(8) == 0 ? random.nextFloat() : 0);
      if (odd && random.nextInt(4) == 0) {
        scores[i] = random.nextBoolean() ? Float.NaN : -0.0f;
      }
    }
    Arrays.sort(scores);
    for (int i = 0; i < count / 2; i++) {
      float low = scores[i];
      scores[i] = scores[count - 1 - i];
      scores[count - 1 - i] = low;
    }
    return scores;
  }

  private static TopDocsAndMaxScore numbers(TopDocsAndMaxScore objects) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      Lucene.writeTopDocs(out, objects);
      BytesArray bytes = new BytesArray(BytesReference.toBytes(out.bytes()));
      FrameStreamInput in =
          new FrameStreamInput(
              bytes, Version.CURRENT, new NamedWriteableRegistry(List.of()), false);
      TopDocsAndMaxScore read = ScoredTopDocs.read(in);
      assertThat(in.available()).isZero();
      assertThat(ScoredTopDocs.countDocs(read.topDocs)).isEqualTo(objects.topDocs.scoreDocs.length);
      return read;
    }
  }

  private QuerySearchResult answer(SearchRequest request, int shard, long seed, boolean numbers)
      throws IOException {
    Random same = new Random(seed);
    if (same.nextInt(6) == 0 && shard > 0) {
      QuerySearchResult none = QuerySearchResult.nullInstance();
      none.setShardIndex(shard);
      none.setSearchShardTarget(target(shard));
      return none;
    }
    QuerySearchResult answer =
        new QuerySearchResult(SearchFixture.contextId(shard), target(shard), null);
    answer.setShardIndex(shard);
    int from = Math.max(0, request.source().from());
    int size = request.source().size();
    answer.from(from);
    answer.size(size);
    float[] scores = scores(same, size == 0 ? 0 : Math.min(from + size, same.nextInt(12)));
    ScoreDoc[] docs =
        IntStream.range(0, scores.length)
            .mapToObj(i -> new ScoreDoc(same.nextInt(1000), scores[i]))
            .toArray(ScoreDoc[]::new);
    TotalHits total = new TotalHits(same.nextInt(100) + 10, TotalHits.Relation.EQUAL_TO);
    float best = docs.length == 0 ? Float.NaN : docs[0].score;
    TopDocsAndMaxScore objects = new TopDocsAndMaxScore(new TopDocs(total, docs), best);
    boolean odd = same.nextInt(30) == 0; // like a result that cannot be read as numbers
    answer.topDocs(numbers && !odd ? numbers(objects) : objects, null);
    answer.searchTimedOut(same.nextInt(9) == 0);
    if (request.source().aggregations() != null) {
      answer.aggregations(InternalAggregations.from(List.of(terms(same))));
    }
    return answer;
  }

  private static LongTerms terms(Random random) {
    List<LongTerms.Bucket> buckets = new ArrayList<>();
    for (long term = 0; term < 30; term++) {
      if (random.nextInt(3) > 0) {
        InternalAvg average =
            new InternalAvg("a", random.nextDouble(), random.nextInt(3), DocValueFormat.RAW, null);
        buckets.add(
            new LongTerms.Bucket(
                term,
                1 + random.nextInt(9),
                InternalAggregations.from(List.of(average)),
                false,
                0,
                DocValueFormat.RAW));
      }
    }
    return new LongTerms(
        "t",
        BucketOrder.key(true),
        BucketOrder.compound(BucketOrder.count(false)),
        Map.of(),
        DocValueFormat.RAW,
        17,
        false,
        random.nextInt(50),
        buckets,
        random.nextInt(3),
        new BucketCountThresholds(1, 0, 5, 17));
  }

  private static SearchShardTarget target(int shard) {
    return new SearchShardTarget("n", SearchFixture.shard(shard), null, null);
  }

  private static String text(ReducedQueryPhase reduced) throws IOException {
    try (XContentBuilder json = JsonXContent.contentBuilder()) {
      json.startObject();
      var answer = SearchInternals.buildResponse(reduced, new SearchHit[0]);
      answer.toXContent(json, ToXContent.EMPTY_PARAMS);
      json.endObject();
      return BytesReference.bytes(json).utf8ToString() + text(ReducedResult.of(reduced));
    }
  }

  /** The documents, and those of the page. */
  private static String text(ReducedResult reduced) {
    StringBuilder docs = new StringBuilder();
    for (int i = 0; i < reduced.docs().size(); i++) {
      docs.append('\n')
          .append(reduced.docs().shardIndex(i))
          .append('/')
          .append(reduced.docs().docId(i));
      docs.append(' ').append(reduced.docs().score(i));
    }
    SearchInternals.DocPage page = SearchInternals.pageOf(reduced);
    for (int i = 0; page != null && i < page.size(); i++) {
      docs.append('\n').append(page.shardIndex(i)).append(' ').append(page.score(i));
    }
    return docs.toString();
  }

  @Test
  void reducesToTheSameAsOpenSearch() throws Exception {
    for (int round = 0; round < 2000; round++) {
      int shards = 1 + random.nextInt(9);
      boolean aggregates = random.nextInt(4) > 0;
      SearchRequest request = request(random.nextInt(4) == 0 ? 0 : 6, aggregates);
      request.source().from(random.nextBoolean() ? 0 : random.nextInt(20));
      assertThat(SinglePassReducer.canReduce(request, shards)).isTrue();
      LimitedMemory memory = new LimitedMemory();
      NoopCircuitBreaker process = new NoopCircuitBreaker(CircuitBreaker.REQUEST);
      ReduceServices services = new ReduceServices(registries, process, Runnable::run);
      RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
      context.resources().setMemory(memory);
      SearchCircuitBreaker breaker =
          services.createBreaker(context, AggregationShape.of(request.source()));
      SearchPhaseController controller = services.createController(1000, breaker);
      QueryPhaseReducer ours =
          new SinglePassReducer(
              request,
              random.nextBoolean(),
              shards,
              new SinglePassReducer.ReducerContext(
                  controller,
                  services.createReduceContexts(1000, breaker, request.source()),
                  registries.writeables(),
                  breaker,
                  () -> false,
                  failure -> {
                    throw new AssertionError(failure);
                  }));
      QueryPhaseReducer theirs =
          new BatchedReducer(
              new QueryPhaseResultConsumer(
                  request,
                  Runnable::run,
                  process,
                  controller,
                  SearchProgressListener.NOOP,
                  registries.writeables(),
                  shards,
                  failure -> {
                    throw new AssertionError(failure);
                  }));
      long seed = random.nextLong();
      boolean numbers = random.nextInt(4) > 0;
      for (int shard = shards - 1; shard >= 0; shard--) {
        ours.add(answer(request, shard, seed + shard, numbers), () -> {});
        theirs.add(answer(request, shard, seed + shard, false), () -> {});
      }
      assertThat(memory.used() > 0).isEqualTo(aggregates);

      ReducedResult one = ours.reduce();
      ReducedResult other = theirs.reduce();
      assertThat(text(one.withDocs())).isEqualTo(text(other.withDocs()));
      assertThat(text(one)).isEqualTo(text(other));

      ours.close();
      theirs.close();
      breaker.close();
      assertThat(memory.used()).isZero();
    }
  }

  @Test
  void leaveUnsupportedResultsToOpenSearch() {
    SearchRequest many = request(0, true);
    many.setBatchedReduceSize(4);
    assertThat(SinglePassReducer.canReduce(many, 4)).isTrue();
    assertThat(SinglePassReducer.canReduce(many, 5)).isFalse();
    SearchRequest digests = request(0, false);
    digests.source().aggregation(AggregationBuilders.percentiles("p").field("number"));
    assertThat(SinglePassReducer.canReduce(digests, 2)).isFalse();
    assertThat(SinglePassReducer.canReduce(new SearchRequest("docs").scroll("1m"), 2)).isFalse();
  }
}
