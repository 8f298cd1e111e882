package dev.weir.responses.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.RequestMemoryAccount;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.core.coordinate.SearchWork.ShardCounts;
import dev.weir.core.coordinate.ShardRound;
import dev.weir.core.reduce.SearchExecution;
import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.SearchFixture.CountedFrame;
import dev.weir.core.reduce.SearchSpec;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.core.reduce.round.SearchScope;
import dev.weir.model.RequestContext;
import dev.weir.model.SamplingSpec;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.Strings;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.xcontent.MediaTypeRegistry;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregator.BucketCountThresholds;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.query.QuerySearchResult;

class SampleReducerTest {
  private static final long MB = 1 << 20;
  private static final List<String> TWO_INDICES =
      List.of("docs", "docs", "docs", "docs", "docs", "docs", "docs", "docs", "other");
  private static OpenSearchRegistries registries;

  private final GatewayMemory memory =
      new GatewayMemory(
          new RequestMemoryPolicy(true, new ByteSize(MB), new ByteSize(10 * MB), 0.8),
          new GatewayMemory.Pools(new MemoryPool(MB), new MemoryPool(MB), new MemoryPool(10 * MB)),
          () -> 0);
  private final RequestMemoryAccount ledger = memory.openAccount("POST", "/docs/_search", null);
  private final RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
  private final CountingBreaker process = new CountingBreaker();
  private final List<CountedFrame> frames = new ArrayList<>();
  private final SampleCounts counts = new SampleCounts();
  private @Nullable SearchResponse response;
  private @Nullable Exception failure;

  /** The bytes reserved from the breaker of the process. */
  private static final class CountingBreaker extends NoopCircuitBreaker {
    private long held;

    CountingBreaker() {
      super(CircuitBreaker.REQUEST);
    }

    @Override
    public double addEstimateBytesAndMaybeBreak(long bytes, String label) {
      held += bytes;
      return held;
    }

    @Override
    public long addWithoutBreaking(long bytes) {
      held += bytes;
      return held;
    }
  }

  @BeforeAll
  static void readRegistries() {
    registries = OpenSearchRegistries.create();
  }

  @AfterEach
  void nothingIsLeft() {
    context.end();
    assertThat(ledger.usedBytes()).isZero();
    assertThat(process.held).isZero();
    assertThat(frames).allMatch(frame -> frame.held == 0);
  }

  /** A search of three of ten shards. */
  private SearchExecution job() {
    return job(Collections.nCopies(10, "docs"));
  }

  /** A search of three of these shards, by their index. */
  private SearchExecution job(List<String> indices) {
    context.resources().setMemory(ledger);
    SearchRequest request =
        new SearchRequest("docs")
            .source(
                new SearchSourceBuilder()
                    .size(0)
                    .aggregation(new TermsAggregationBuilder("colours").field("colour")));
    ShardSample sample =
        SampledSearchSpec.create(request, new SamplingSpec(Double.NaN, 3, null, 0.95), 5, 2, counts)
            .drawSample(indices);
    SearchScope scope = SearchFixture.scope(request, 3);
    return new SearchExecution(
        new SearchSpec(
            context,
            ActionListener.wrap(answer -> response = answer, thrown -> failure = thrown),
            (searches, listener) -> {},
            () -> 12,
            null),
        new SearchScope(
            request, scope.shards(), scope.filters(), scope.state(), scope.work(), sample),
        SearchFixture.caller(),
        new ReduceServices(registries, process, Runnable::run),
        100_000);
  }

  private CountedFrame frame() {
    frames.add(new CountedFrame());
    return frames.getLast();
  }

  private static QuerySearchResult found(int red, int others) {
    List<StringTerms.Bucket> buckets = new ArrayList<>();
    for (int other = 0; other < others; other++) {
      buckets.add(bucket("%08d".formatted(other), 1));
    }
    buckets.add(bucket("red", red));
    StringTerms terms =
        new StringTerms(
            "colours",
            BucketOrder.key(true),
            BucketOrder.compound(BucketOrder.count(false)),
            null,
            DocValueFormat.RAW,
            1_000_000,
            false,
            0,
            buckets,
            0,
            new BucketCountThresholds(1, 0, 10, 1_000_000));
    QuerySearchResult result = new QuerySearchResult(SearchFixture.contextId(1), null, null);
    result.topDocs(
        new TopDocsAndMaxScore(
            new TopDocs(
                new TotalHits(red + (long) others, TotalHits.Relation.EQUAL_TO), new ScoreDoc[0]),
            Float.NaN),
        null);
    result.size(0);
    result.aggregations(InternalAggregations.from(List.of(terms)));
    return result;
  }

  private static StringTerms.Bucket bucket(String term, long count) {
    return new StringTerms.Bucket(
        new BytesRef(term), count, InternalAggregations.EMPTY, false, 0, DocValueFormat.RAW);
  }

  @SuppressWarnings("unchecked")
  private static ShardRound<SearchPhaseResult> query(SearchExecution job, Integer... ordinals) {
    return (ShardRound<SearchPhaseResult>) job.createFirstRound(List.of(ordinals));
  }

  private String answer(SearchExecution job, int shards) throws Exception {
    job.reduce(thrown -> failure = thrown);
    assertThat(failure).isNull();
    job.createFetchRound();
    job.merge();
    job.succeed(new ShardCounts(3, shards, 0));
    return Strings.toString(MediaTypeRegistry.JSON, Objects.requireNonNull(response));
  }

  @Test
  void answersWithEstimates() throws Exception {
    SearchExecution job = job();
    ShardRound<SearchPhaseResult> query = query(job, 0, 1, 2);
    query.onReply(0, "n0", found(4, 0), frame(), () -> {});
    query.onReply(1, "n1", found(5, 1), frame(), () -> {});
    query.onReply(2, "n2", found(6, 0), frame(), () -> {});
    String answer = answer(job, 3);
    assertThat(answer)
        .contains("\"total\":{\"value\":53,\"relation\":\"eq\"}")
        .contains("{\"key\":\"red\",\"doc_count\":50,\"doc_count_bounds\":{\"lower\":29,")
        .contains("\"_sampling\":{\"shards\":{\"total\":10,\"sampled\":3,\"answered\":3}");
    assertThat(counts.shardsSkipped()).isEqualTo(7);
  }

  /** A skipped shard counts as empty; one that was queried and failed may have matches. */
  @Test
  void knowsNothingFromUnknown() throws Exception {
    SearchExecution job = job();
    ShardRound<SearchPhaseResult> query = query(job, 0, 2);
    query.onReply(0, "n0", found(4, 0), frame(), () -> {});
    query.onFailure(1, "n2", new IllegalStateException("gone"));
    assertThat(answer(job, 2))
        .contains("\"total\":{\"value\":20,\"relation\":\"eq\"}")
        .contains("\"answered\":2}");
  }

  /** Results are numbered in query order, not in the order of the draw. */
  @Test
  void readResultsAfterASkippedShard() throws Exception {
    SearchExecution job = job();
    ShardRound<SearchPhaseResult> query = query(job, 0, 2);
    query.onReply(0, "n0", found(4, 0), frame(), () -> {});
    query.onReply(1, "n2", found(6, 0), frame(), () -> {});
    assertThat(answer(job, 2))
        .contains("\"total\":{\"value\":33,\"relation\":\"eq\"}")
        .contains("{\"key\":\"red\",\"doc_count\":33,")
        .contains("\"answered\":3}");
  }

  /** Two of eight shards of one index, and the only shard of the other, which is queried first. */
  @Test
  void weighsAnswersByTheIndexOfTheirShard() throws Exception {
    SearchExecution job = job(TWO_INDICES);
    ShardRound<SearchPhaseResult> query = query(job, 2, 0, 1);
    query.onReply(1, "n0", found(3, 0), frame(), () -> {});
    query.onReply(2, "n1", found(5, 0), frame(), () -> {});
    query.onReply(0, "n2", found(100, 0), frame(), () -> {});
    assertThat(answer(job, 3))
        .contains("\"total\":{\"value\":132,\"relation\":\"eq\"}")
        .contains("{\"key\":\"red\",\"doc_count\":132,")
        .contains("\"answered\":3}");
  }

  @Test
  void knowsWhichOfTheShardsFailed() throws Exception {
    SearchExecution job = job(TWO_INDICES);
    ShardRound<SearchPhaseResult> query = query(job, 2, 0, 1);
    query.onReply(0, "n2", found(100, 0), frame(), () -> {});
    query.onFailure(1, "n0", new IllegalStateException("gone"));
    query.onReply(2, "n1", found(5, 0), frame(), () -> {});
    assertThat(answer(job, 2))
        .contains("\"total\":{\"value\":140,\"relation\":\"eq\"}")
        .contains("\"answered\":2}");
  }

  @Test
  void countAShardWithoutAResponseAsEmpty() throws Exception {
    SearchExecution job = job();
    ShardRound<SearchPhaseResult> query = query(job, 0, 1, 2);
    query.onReply(0, "n0", found(6, 0), frame(), () -> {});
    query.onReply(1, "n1", QuerySearchResult.nullInstance(), frame(), () -> {});
    query.onReply(2, "n2", found(6, 0), frame(), () -> {});
    assertThat(answer(job, 3))
        .contains("\"total\":{\"value\":40,\"relation\":\"eq\"}")
        .contains("\"answered\":3}");
  }

  @Test
  void failWithoutMemory() {
    SearchExecution job = job();
    ShardRound<SearchPhaseResult> query = query(job, 0, 1, 2);
    for (int shard = 0; shard < 3; shard++) {
      query.onReply(shard, "n" + shard, found(4, 1_700), frame(), () -> {});
    }
    Exception[] thrown = new Exception[1];
    job.reduce(refused -> thrown[0] = refused);
    assertThat(thrown[0]).isInstanceOf(CircuitBreakingException.class);
    job.fail("fetch", "", thrown[0], false);
    assertThat(failure).isNotNull();
  }
}
