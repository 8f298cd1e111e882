package dev.weir.core.reduce.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.memory.AggregationShape;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import dev.weir.core.reduce.query.SinglePassReducer.ReducerContext;
import dev.weir.core.reduce.terms.AggregationBytes;
import dev.weir.core.reduce.terms.TermsReducer;
import dev.weir.model.RequestContext;
import dev.weir.node.reduction.MergedWaves;
import dev.weir.node.reduction.RandomShards;
import dev.weir.node.reduction.RandomShards.Definition;
import dev.weir.protocol.FrameStreamInput;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.apache.lucene.util.BytesRef;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.common.util.BigArrays;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.pipeline.PipelineAggregator.PipelineTree;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.query.QuerySearchResult;

/**
 * Each of the gateway's reducers makes of aggregations that nodes have merged what OpenSearch makes
 * of those of each shard.
 */
class MergedAggregationsTest {
  private static final int ROUNDS = 600;
  private static final int MAX_SHARDS = 9;
  private static final int MAX_BUCKETS = 100_000;
  private static final Map<String, String> PARAMETERS = Map.of("typed_keys", "true");
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private final Random random = TestSeed.random(MergedAggregationsTest.class);
  private final MergedWaves waves = new MergedWaves(random);
  private int byTerms;
  private int inOnePass;
  private int byBuckets;

  @Test
  void reducesMergedAggregationsToTheSameAsThoseOfShards() throws Exception {
    RandomShards search = new RandomShards(random);
    for (int round = 0; round < ROUNDS; round++) {
      List<Definition> definitions = search.level(2);
      SearchSourceBuilder source = new SearchSourceBuilder().size(0);
      definitions.forEach(one -> source.aggregation(one.builder()));
      SearchRequest request = new SearchRequest("docs").source(source);
      List<InternalAggregations> shards = new ArrayList<>();
      for (int i = 2 + random.nextInt(MAX_SHARDS - 1); i > 0; i--) {
        shards.add(RandomShards.make(definitions, random.nextInt(5) == 0));
      }
      InternalAggregations expected = reduce(shards);
      List<InternalAggregations> sent = waves.send(shards);
      String name = "round " + round + ": " + source;
      checkTerms(name, request, sent, expected);
      checkSinglePass(name, request, sent, expected);
      checkBuckets(name, request, sent, expected);
    }
    assertThat(waves.merged()).as("merged waves").isGreaterThan(ROUNDS / 4);
    assertThat(waves.whole()).as("waves that don't merge").isPositive();
    assertThat(byTerms).as("searches with terms alone").isGreaterThan(ROUNDS / 100);
    assertThat(inOnePass).as("searches in one pass").isGreaterThan(ROUNDS / 4);
    assertThat(byBuckets).as("searches by buckets").isGreaterThan(ROUNDS / 10);
  }

  /** One final reduction, as OpenSearch does it. */
  private static InternalAggregations reduce(List<InternalAggregations> shards) {
    return Objects.requireNonNull(
        InternalAggregations.topLevelReduce(
            new ArrayList<>(shards.stream().map(RandomShards::sent).toList()),
            ReduceContext.forFinalReduction(
                BigArrays.NON_RECYCLING_INSTANCE, null, buckets -> {}, PipelineTree.EMPTY)));
  }

  private void checkTerms(
      String name,
      SearchRequest request,
      List<InternalAggregations> sent,
      InternalAggregations expected)
      throws IOException {
    if (!TermsReducer.canReduce(request.source())) {
      return;
    }
    List<AggregationBytes> bytes = new ArrayList<>();
    for (InternalAggregations one : sent) {
      bytes.add(
          new AggregationBytes(
              RandomShards.ownBytes(one), Version.CURRENT, REGISTRIES.writeables()));
    }
    InternalAggregations reduced =
        TermsReducer.reduce(
            bytes,
            ReduceContext.forFinalReduction(
                BigArrays.NON_RECYCLING_INSTANCE, null, buckets -> {}, PipelineTree.EMPTY));
    if (reduced != null) {
      byTerms++;
      assertSame(name, reduced, expected);
    }
  }

  private void checkSinglePass(
      String name,
      SearchRequest request,
      List<InternalAggregations> sent,
      InternalAggregations expected)
      throws Exception {
    if (SinglePassReducer.canReduce(request, sent.size())) {
      inOnePass++;
      SearchCircuitBreaker breaker = breaker(request);
      QueryPhaseReducer reducer =
          new SinglePassReducer(request, false, sent.size(), context(request, breaker));
      assertSame(name, reduce(reducer, sent), expected);
      reducer.close();
      breaker.close();
    }
  }

  /** These buckets are JSON already, so nothing else can be compared. */
  private void checkBuckets(
      String name,
      SearchRequest request,
      List<InternalAggregations> sent,
      InternalAggregations expected)
      throws Exception {
    if (BucketwiseQueryReducer.canReduce(request, sent.size(), PARAMETERS)) {
      byBuckets++;
      SearchCircuitBreaker breaker = breaker(request);
      QueryPhaseReducer reducer =
          new BucketwiseQueryReducer(
              request,
              new ToXContent.MapParams(PARAMETERS),
              sent.size(),
              context(request, breaker));
      assertThat(json(reduce(reducer, sent))).as(name).isEqualTo(json(expected));
      reducer.close();
      breaker.close();
    }
  }

  private static ReduceServices services() {
    return new ReduceServices(
        REGISTRIES, new NoopCircuitBreaker(CircuitBreaker.REQUEST), Runnable::run);
  }

  private static SearchCircuitBreaker breaker(SearchRequest request) {
    return services()
        .createBreaker(
            new RequestContext(Runnable::run, 1, Map.of()), AggregationShape.of(request.source()));
  }

  private static ReducerContext context(SearchRequest request, SearchCircuitBreaker breaker) {
    ReduceServices services = services();
    return new ReducerContext(
        services.createController(MAX_BUCKETS, breaker),
        services.createReduceContexts(MAX_BUCKETS, breaker, request.source()),
        REGISTRIES.writeables(),
        breaker,
        () -> false,
        failure -> {
          throw new AssertionError(failure);
        });
  }

  private static InternalAggregations reduce(
      QueryPhaseReducer reducer, List<InternalAggregations> sent) throws Exception {
    for (int shard = sent.size() - 1; shard >= 0; shard--) {
      reducer.add(received(sent.get(shard), shard), () -> {});
    }
    return Objects.requireNonNull(SearchInternals.aggregations(reducer.reduce().withDocs()));
  }

  /** A shard's result as a gateway reads it. */
  private static QuerySearchResult received(InternalAggregations all, int shard)
      throws IOException {
    SearchShardTarget target = new SearchShardTarget("n", SearchFixture.shard(shard), null, null);
    QuerySearchResult result = new QuerySearchResult(SearchFixture.contextId(shard), target, null);
    result.size(0);
    TotalHits total = new TotalHits(5, TotalHits.Relation.EQUAL_TO);
    result.topDocs(new TopDocsAndMaxScore(new TopDocs(total, new ScoreDoc[0]), Float.NaN), null);
    result.aggregations(all);
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      result.writeTo(out);
      QuerySearchResult read =
          new QuerySearchResult(
              new FrameStreamInput(
                  new BytesArray(BytesReference.toBytes(out.bytes())),
                  Version.CURRENT,
                  REGISTRIES.writeables(),
                  false));
      read.setShardIndex(shard);
      read.setSearchShardTarget(target);
      return read;
    }
  }

  private static void assertSame(
      String name, InternalAggregations reduced, InternalAggregations expected) throws IOException {
    assertThat(json(reduced)).as(name).isEqualTo(json(expected));
    BytesRef bytes = RandomShards.bytes(reduced);
    assertThat(bytes).as(name).isEqualTo(RandomShards.bytes(expected));
  }

  private static String json(InternalAggregations reduced) throws IOException {
    try (XContentBuilder json = JsonXContent.contentBuilder()) {
      json.startObject();
      reduced.toXContent(json, new ToXContent.MapParams(PARAMETERS));
      json.endObject();
      return BytesReference.bytes(json).utf8ToString();
    }
  }
}
