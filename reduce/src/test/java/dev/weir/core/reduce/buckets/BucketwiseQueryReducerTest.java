package dev.weir.core.reduce.buckets;

import static dev.weir.core.reduce.buckets.ShardAggregations.REGISTRIES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.memory.AggregationShape;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import dev.weir.core.reduce.query.BucketwiseQueryReducer;
import dev.weir.core.reduce.query.SinglePassReducer;
import dev.weir.model.RequestContext;
import dev.weir.protocol.FrameStreamInput;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.search.QueryPhaseResultConsumer;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchPhaseController;
import org.opensearch.action.search.SearchPhaseController.ReducedQueryPhase;
import org.opensearch.action.search.SearchProgressListener;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.PipelineAggregatorBuilders;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramInterval;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.query.QuerySearchResult;

/** The response equals that of OpenSearch's own collector of shards' results. */
class BucketwiseQueryReducerTest {
  private final Random random = TestSeed.random(BucketwiseQueryReducerTest.class);

  private static DateHistogramAggregationBuilder dates() {
    return AggregationBuilders.dateHistogram("d")
        .field("at")
        .fixedInterval(DateHistogramInterval.HOUR)
        .subAggregation(AggregationBuilders.percentiles("p").field("took"));
  }

  private static SearchRequest request() {
    return new SearchRequest("docs").source(new SearchSourceBuilder().size(0).aggregation(dates()));
  }

  /** A shard's result on the wire. */
  private static BytesArray result(InternalAggregations all) throws IOException {
    QuerySearchResult result =
        new QuerySearchResult(
            SearchFixture.contextId(1),
            new SearchShardTarget("n", SearchFixture.shard(0), null, null),
            null);
    result.size(0);
    TotalHits total = new TotalHits(5, TotalHits.Relation.EQUAL_TO);
    result.topDocs(new TopDocsAndMaxScore(new TopDocs(total, new ScoreDoc[0]), Float.NaN), null);
    result.aggregations(all);
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      result.writeTo(out);
      return new BytesArray(BytesReference.toBytes(out.bytes()));
    }
  }

  private static QuerySearchResult read(BytesArray bytes, int shard) throws IOException {
    QuerySearchResult read =
        new QuerySearchResult(
            new FrameStreamInput(bytes, Version.CURRENT, REGISTRIES.writeables(), false));
    read.setShardIndex(shard);
    read.setSearchShardTarget(new SearchShardTarget("n", SearchFixture.shard(shard), null, null));
    return read;
  }

  private static String text(ReducedQueryPhase reduced) throws IOException {
    try (XContentBuilder json = JsonXContent.contentBuilder()) {
      json.startObject();
      SearchInternals.buildResponse(reduced, new SearchHit[0])
          .toXContent(json, ToXContent.EMPTY_PARAMS);
      json.endObject();
      return BytesReference.bytes(json).utf8ToString();
    }
  }

  @Test
  void writeTheSameResponseAsOpenSearch() throws Exception {
    for (int round = 0; round < 300; round++) {
      RandomAggregations.Search search =
          (round % 3 == 0
                  ? RandomAggregations.withPipelines(random)
                  : RandomAggregations.ofAllKinds(random))
              .search();
      int shards = 1 + random.nextInt(6);
      SearchRequest request = new SearchRequest("docs").source(search.source());
      NoopCircuitBreaker process = new NoopCircuitBreaker(CircuitBreaker.REQUEST);
      ReduceServices services = new ReduceServices(REGISTRIES, process, Runnable::run);
      SearchCircuitBreaker breaker =
          services.createBreaker(
              new RequestContext(Runnable::run, 1, Map.of()),
              AggregationShape.of(request.source()));
      SearchPhaseController controller = services.createController(100_000, breaker);
      BucketwiseQueryReducer ours =
          new BucketwiseQueryReducer(
              request,
              ToXContent.EMPTY_PARAMS,
              shards,
              new SinglePassReducer.ReducerContext(
                  controller,
                  services.createReduceContexts(100_000, breaker, request.source()),
                  REGISTRIES.writeables(),
                  breaker,
                  () -> false,
                  failure -> {
                    throw new AssertionError(failure);
                  }));
      QueryPhaseResultConsumer theirs =
          new QueryPhaseResultConsumer(
              request,
              Runnable::run,
              process,
              controller,
              SearchProgressListener.NOOP,
              REGISTRIES.writeables(),
              shards,
              failure -> {
                throw new AssertionError(failure);
              });
      for (int shard = shards - 1; shard >= 0; shard--) {
        boolean isMerged = shard > 0 && random.nextInt(6) == 0; // by its node, with another one
        BytesArray bytes =
            result(isMerged ? InternalAggregations.EMPTY : search.make(random.nextInt(6) == 0));
        ours.add(read(bytes, shard), () -> {});
        theirs.consumeResult(read(bytes, shard), () -> {});
      }

      assertThat(text(ours.reduce().withDocs())).isEqualTo(text(theirs.reduce()));
      ours.close();
      theirs.close();
      breaker.close();
    }
  }

  @Test
  void leaveOtherSearchesToOtherReducers() {
    Map<String, String> plain = Map.of("typed_keys", "true");
    assertThat(BucketwiseQueryReducer.canReduce(request(), 180, plain)).isTrue();
    assertThat(BucketwiseQueryReducer.canReduce(request(), 180, null)).isFalse();
    assertThat(BucketwiseQueryReducer.canReduce(request().scroll("1m"), 180, plain)).isFalse();
    SearchRequest batched = request();
    batched.setBatchedReduceSize(100);
    assertThat(BucketwiseQueryReducer.canReduce(batched, 101, plain)).isFalse();
    SearchRequest piped = request();
    piped.source().aggregation(PipelineAggregatorBuilders.maxBucket("m", "d>p.50"));
    assertThat(BucketwiseQueryReducer.canReduce(piped, 2, plain)).isTrue();
    Map<String, String> pretty = Map.of("pretty", "");
    assertThat(BucketwiseQueryReducer.canReduce(request(), 2, pretty)).isTrue();
    SearchRequest hits = request();
    hits.source()
        .aggregation(
            AggregationBuilders.filter("f", QueryBuilders.matchAllQuery())
                .subAggregation(AggregationBuilders.topHits("h")));
    assertThat(BucketwiseQueryReducer.canReduce(hits, 2, pretty)).isFalse();
    assertThat(BucketwiseQueryReducer.canReduce(hits, 2, plain)).isTrue();
  }
}
