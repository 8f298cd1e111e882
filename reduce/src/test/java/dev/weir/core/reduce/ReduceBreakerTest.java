package dev.weir.core.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.coordinate.SearchWork.ShardCounts;
import dev.weir.core.coordinate.ShardRound;
import dev.weir.core.reduce.SearchFixture.CountedFrame;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory;
import dev.weir.protocol.FrameStreamInput;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermStatistics;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.ExceptionsHelper;
import org.opensearch.Version;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchType;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.indices.breaker.HierarchyCircuitBreakerService;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.metrics.InternalAvg;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.dfs.DfsSearchResult;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.query.QuerySearchResult;

/** The accounting of reductions with OpenSearch's own circuit breaker. */
class ReduceBreakerTest {
  private static final int SHARED_ARRAY = 4 << 20;
  private static final int CLIENTS = 32;
  private static final int SHARDS = 3;

  private static OpenSearchRegistries registries;

  private final List<CountedFrame> frames = new ArrayList<>();
  private Executor eventLoop = Runnable::run;
  private RequestMemory memory = RequestMemory.UNBOUNDED;
  private @Nullable CircuitBreaker breaker;
  private @Nullable SearchResponse response;
  private @Nullable Exception failure;

  @BeforeAll
  static void readRegistries() {
    registries = OpenSearchRegistries.create();
  }

  @AfterEach
  void holdsNothingInTheEnd() {
    assertThat(Objects.requireNonNull(breaker).getUsed()).isZero();
    assertThat(frames).extracting(frame -> frame.held).containsOnly(0);
  }

  private void limit(String request) {
    Settings settings =
        Settings.builder()
            .put("indices.breaker.request.limit", request)
            .put("indices.breaker.total.use_real_memory", false)
            .put("indices.breaker.total.limit", "1gb")
            .build();
    breaker =
        new HierarchyCircuitBreakerService(
                settings,
                List.of(),
                new ClusterSettings(
                    settings, new HashSet<>(ClusterSettings.BUILT_IN_CLUSTER_SETTINGS)))
            .getBreaker(CircuitBreaker.REQUEST);
  }

  private SearchExecution job() {
    return job(AggregationBuilders.avg("avg-0").field("number"));
  }

  private SearchExecution job(AggregationBuilder aggregation) {
    return job(
        new SearchRequest("docs")
            .source(new SearchSourceBuilder().size(0).aggregation(aggregation)),
        SHARDS);
  }

  private SearchExecution job(SearchRequest request, int shards) {
    RequestContext context = new RequestContext(eventLoop, 1, Map.of());
    context.resources().setMemory(memory);
    SearchSpec ask =
        new SearchSpec(
            context,
            ActionListener.wrap(answer -> response = answer, thrown -> failure = thrown),
            (searches, listener) -> {},
            () -> 12,
            null);
    return new SearchExecution(
        ask,
        SearchFixture.scope(request, shards),
        SearchFixture.caller(),
        new ReduceServices(registries, Objects.requireNonNull(breaker), Runnable::run),
        100_000);
  }

  /** A shard's reply, in the middle of an array that many frames share. */
  private static FrameStreamInput sent(int aggregations) throws IOException {
    return sent(aggregations, false);
  }

  private static FrameStreamInput sent(int aggregations, boolean fetched) throws IOException {
    QuerySearchResult result = new QuerySearchResult(SearchFixture.contextId(1), null, null);
    result.topDocs(
        new TopDocsAndMaxScore(
            new TopDocs(new TotalHits(7, TotalHits.Relation.EQUAL_TO), new ScoreDoc[0]), Float.NaN),
        null);
    List<InternalAggregation> all = new ArrayList<>();
    for (int n = 0; n < aggregations; n++) {
      all.add(new InternalAvg("avg-" + n, n, 1, DocValueFormat.RAW, Map.of()));
    }
    result.aggregations(InternalAggregations.from(all));
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      result.writeTo(out);
      if (fetched) {
        FetchSearchResult nothing = new FetchSearchResult(SearchFixture.contextId(1), null);
        nothing.hits(SearchHits.empty());
        nothing.writeTo(out);
      }
      byte[] bytes = BytesReference.toBytes(out.bytes());
      byte[] shared = new byte[SHARED_ARRAY];
      System.arraycopy(bytes, 0, shared, 1000, bytes.length);
      return new FrameStreamInput(
          new BytesArray(shared, 1000, bytes.length),
          Version.CURRENT,
          registries.writeables(),
          false);
    }
  }

  private void answerAll(SearchExecution job, int aggregations) throws Exception {
    ShardRound<SearchPhaseResult> round = first(job, SHARDS);
    for (int shard = 0; shard < SHARDS; shard++) {
      String node = SearchFixture.NODES[shard];
      answer(round, shard, round.createCall(shard, node).reader().read(sent(aggregations)));
    }
  }

  private static void finish(SearchExecution job) {
    job.reduce(reduced -> assertThat(reduced).isNull());
    assertThat(job.createFetchRound().callCount()).isZero();
    job.merge();
    job.succeed(new ShardCounts(SHARDS, SHARDS, 0));
  }

  @Test
  void refusesAReductionThatIsTooBigAsANodeDoes() throws Exception {
    limit("20kb");
    SearchExecution job = job();
    List<String> hopeless = new ArrayList<>();
    job.onUnrecoverable(hopeless::add);

    answerAll(job, 1000);
    List<Exception> refused = new ArrayList<>();
    job.reduce(reduced -> refused.add(Objects.requireNonNull(reduced)));
    job.fail("fetch", "", refused.getFirst(), false);

    assertThat(refused)
        .singleElement()
        .isInstanceOfSatisfying(
            CircuitBreakingException.class,
            thrown -> {
              assertThat(thrown.getMessage()).contains("[request]", "<reduce_aggs>", "20kb");
              assertThat(thrown.getByteLimit()).isEqualTo(20 * 1024);
            });
    assertThat(ExceptionsHelper.status(Objects.requireNonNull(failure)))
        .isEqualTo(RestStatus.TOO_MANY_REQUESTS);
    assertThat(hopeless).hasSize(1);
    assertThat(Objects.requireNonNull(breaker).getTrippedCount()).isPositive();
  }

  @Test
  void accountsForAggregationsUntilTheAnswer() throws Exception {
    limit("1mb");
    SearchExecution job = job();

    answerAll(job, 1000);

    assertThat(Objects.requireNonNull(breaker).getUsed()).isBetween(30_000L, 300_000L);
    finish(job);
    assertThat(Objects.requireNonNull(response).getAggregations().asList()).hasSize(1000);
  }

  @Test
  void releaseTheMemoryOfFailedAndAbandonedSearches() throws Exception {
    limit("1mb");
    SearchExecution failing = job();
    SearchExecution abandoned = job();
    SearchExecution abandonedLate = job();
    answerAll(failing, 100);
    answerAll(abandoned, 100);
    answerAll(abandonedLate, 100);
    abandonedLate.reduce(reduced -> assertThat(reduced).isNull());

    failing.fail("query", "Partial shards failure", null, false);
    abandoned.abandon();
    abandonedLate.abandon();

    assertThat(failure).isNotNull();
  }

  /** A breaker that reports a full heap at the n-th check. */
  private static final class FullHeap extends NoopCircuitBreaker {
    private int looksLeft;

    private FullHeap(int looksLeft) {
      super(CircuitBreaker.REQUEST);
      this.looksLeft = looksLeft;
    }

    @Override
    public double addEstimateBytesAndMaybeBreak(long bytes, String label) {
      if (--looksLeft < 0) {
        throw new CircuitBreakingException("the heap is full", Durability.TRANSIENT);
      }
      return 0;
    }
  }

  @Test
  void stopsExpandingDigestsWhenTheHeapIsFull() throws Exception {
    breaker =
        new FullHeap(
            SHARDS + 1 + 5); // one check per shard, one for the reduction, and some during it
    SearchExecution job = job(AggregationBuilders.percentiles("p").field("number"));
    answerAll(job, 1000);
    List<Exception> refused = new ArrayList<>();
    job.reduce(reduced -> refused.add(Objects.requireNonNull(reduced)));
    job.fail("fetch", "", refused.getFirst(), false);

    assertThat(refused).singleElement().isInstanceOf(CircuitBreakingException.class);
    assertThat(ExceptionsHelper.status(Objects.requireNonNull(failure)))
        .isEqualTo(RestStatus.TOO_MANY_REQUESTS);
  }

  enum Way {
    ALONE,
    PROFILED,
    DFS
  }

  /** The ways in which OpenSearch's own classes read shard results. */
  @ParameterizedTest
  @EnumSource
  void stopExpandingDigestsInEveryRequestForm(Way way) throws Exception {
    breaker = new FullHeap(SHARDS + 1 + 5);
    List<Exception> refused = new ArrayList<>();
    SearchExecution job = asked(way, AggregationBuilders.percentiles("p").field("number"));
    job.reduce(reduced -> refused.add(Objects.requireNonNull(reduced)));
    job.fail("fetch", "", refused.getFirst(), false);

    assertThat(refused).singleElement().isInstanceOf(CircuitBreakingException.class);
  }

  @ParameterizedTest
  @EnumSource
  void skipTheHeapCheckForSmallResults(Way way) throws Exception {
    breaker = new FullHeap(SHARDS + 1);
    SearchExecution job = asked(way, AggregationBuilders.avg("avg-0").field("number"));
    job.reduce(reduced -> assertThat(reduced).isNull());
    job.abandon();
  }

  private SearchExecution asked(Way way, AggregationBuilder aggregation) throws Exception {
    SearchRequest request =
        new SearchRequest("docs")
            .source(
                new SearchSourceBuilder()
                    .size(0)
                    .aggregation(aggregation)
                    .profile(way == Way.PROFILED));
    return switch (way) {
      case ALONE -> {
        SearchExecution job = job(request, 1);
        ShardRound<SearchPhaseResult> round = first(job, 1);
        answer(round, 0, round.createCall(0, "n0").reader().read(sent(1000, true)));
        yield job;
      }
      case PROFILED -> {
        SearchExecution job = job(request, SHARDS);
        answerAll(job, 1000);
        yield job;
      }
      case DFS -> {
        SearchExecution job = job(request.searchType(SearchType.DFS_QUERY_THEN_FETCH), SHARDS);
        answerDfs(job);
        yield job;
      }
    };
  }

  private void answerDfs(SearchExecution job) throws Exception {
    ShardRound<SearchPhaseResult> round = first(job, SHARDS);
    for (int shard = 0; shard < SHARDS; shard++) {
      DfsSearchResult terms = new DfsSearchResult(SearchFixture.contextId(1), null, null);
      terms.termsStatistics(new Term[0], new TermStatistics[0]).fieldStatistics(new HashMap<>());
      answer(round, shard, terms);
    }
    answerWithTerms(Objects.requireNonNull(job.createDfsQueryRound()));
  }

  @Test
  void refuseResultsOfADfsSearchBeforeTheyAreRead() throws Exception {
    limit("1mb");
    LimitedMemory little = new LimitedMemory(10_000);
    memory = little;
    SearchRequest request =
        new SearchRequest("docs")
            .source(
                new SearchSourceBuilder()
                    .aggregation(AggregationBuilders.avg("avg-0").field("number")))
            .searchType(SearchType.DFS_QUERY_THEN_FETCH);
    SearchExecution job = job(request, SHARDS);

    assertThatThrownBy(() -> answerDfs(job)).isInstanceOf(CircuitBreakingException.class);

    job.abandon();
    assertThat(little.used()).isZero();
  }

  /** The next attempt has the listeners, and its own frames may lie where these lay. */
  @ParameterizedTest
  @ValueSource(ints = {SHARDS, 1000})
  void keepFramesOfAnAbandonedSearchUntilItsReductionEnds(int heapChecks) throws Exception {
    breaker = new FullHeap(heapChecks);
    Deque<Runnable> tasks = new ArrayDeque<>();
    eventLoop = tasks::add;
    SearchRequest request =
        new SearchRequest("docs")
            .source(
                new SearchSourceBuilder()
                    .size(0)
                    .aggregation(AggregationBuilders.avg("avg-0").field("number")))
            .searchType(SearchType.DFS_QUERY_THEN_FETCH);
    request.setBatchedReduceSize(2);
    SearchExecution job = job(request, SHARDS);
    List<String> hopeless = new ArrayList<>();
    job.onUnrecoverable(hopeless::add);
    answerDfs(job);
    assertThat(tasks).as("a partial reduction").isNotEmpty();

    job.abandon();
    assertThat(frames.subList(SHARDS, 2 * SHARDS)).extracting(frame -> frame.held).containsOnly(1);
    while (!tasks.isEmpty()) {
      tasks.removeFirst().run();
    }
    assertThat(frames).extracting(frame -> frame.held).containsOnly(0);
    assertThat(hopeless).isEmpty();
    assertThat(failure).isNull();
    assertThat(response).isNull();
  }

  @SuppressWarnings("unchecked")
  private void answerWithTerms(NodeRound<?> round) throws Exception {
    NodeRound<QuerySearchResult> query = (NodeRound<QuerySearchResult>) round;
    for (int call = 0; call < query.callCount(); call++) {
      CountedFrame frame = new CountedFrame();
      frames.add(frame);
      query.onReply(call, query.createCall(call).reader().read(sent(1000)), frame, () -> {});
    }
  }

  @SuppressWarnings("unchecked")
  private static ShardRound<SearchPhaseResult> first(SearchExecution job, int shards) {
    return (ShardRound<SearchPhaseResult>)
        job.createFirstRound(IntStream.range(0, shards).boxed().toList());
  }

  private void answer(ShardRound<SearchPhaseResult> round, int shard, SearchPhaseResult reply) {
    CountedFrame frame = new CountedFrame();
    frames.add(frame);
    round.onReply(shard, SearchFixture.NODES[shard], reply, frame, () -> {});
  }

  @Test
  void skipTheHeapCheckForProportionalAggregations() throws Exception {
    breaker = new FullHeap(SHARDS + 1);
    SearchExecution job = job();
    answerAll(job, 1000);
    finish(job);

    assertThat(failure).isNull();
  }

  /** The arrays of the frames take 384 MB together, but their contents only 5 MB. */
  @Test
  void lets32ClientsAggregateWithTheBreakerOfASmallHeap() throws Exception {
    limit("153mb"); // 60 % of 256 MB
    List<SearchExecution> jobs = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      jobs.add(job());
      answerAll(jobs.getLast(), 1000);
    }

    assertThat(Objects.requireNonNull(breaker).getUsed()).isLessThan(10L << 20);
    jobs.forEach(ReduceBreakerTest::finish);
    assertThat(failure).isNull();
  }
}
