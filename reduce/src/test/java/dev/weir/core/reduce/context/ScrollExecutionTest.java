package dev.weir.core.reduce.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.reduce.LimitedMemory;
import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.SearchFixture.CountedFrame;
import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.core.reduce.memory.ReduceServices;
import dev.weir.model.RequestContext;
import dev.weir.protocol.FrameStreamInput;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TotalHits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.ExceptionsHelper;
import org.opensearch.Version;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.ParsedScrollId;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchScrollRequest;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.lucene.search.TopDocsAndMaxScore;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.breaker.NoopCircuitBreaker;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.fetch.QueryFetchSearchResult;
import org.opensearch.search.fetch.ScrollQueryFetchSearchResult;
import org.opensearch.search.query.QuerySearchResult;
import org.opensearch.search.query.ScrollQuerySearchResult;
import org.opensearch.transport.TransportException;

class ScrollExecutionTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final SearchShardTarget TARGET =
      new SearchShardTarget("n0", SearchFixture.shard(0), null, OriginalIndices.NONE);

  @Test
  void keepStackTracesOfFewFailures() throws IOException {
    assertThat(failures(15)).hasSize(15).noneMatch(ScrollExecutionTest::isStackless);
  }

  @Test
  void keepManyFailuresWithoutStackTraces() throws IOException {
    assertThat(failures(16)).hasSize(16).allMatch(ScrollExecutionTest::isStackless);
    assertThat(failures(40)).hasSize(40).allMatch(ScrollExecutionTest::isStackless);
  }

  private static boolean isStackless(ShardSearchFailure failure) {
    return failure.getCause() instanceof StacklessFailure cause
        && "gone".equals(cause.getMessage());
  }

  private static ReduceServices services() {
    return new ReduceServices(REGISTRIES, new NoopCircuitBreaker("request"), Runnable::run);
  }

  private static ScrollExecution page(
      ParsedScrollId id, RequestContext context, ActionListener<SearchResponse> listener) {
    return page(id, context, listener, services());
  }

  private static ScrollExecution page(
      ParsedScrollId id,
      RequestContext context,
      ActionListener<SearchResponse> listener,
      ReduceServices services) {
    return new ScrollExecution(
        new SearchScrollRequest("id"),
        id,
        new ScrollExecution.PageRequest(context, listener, SearchFixture.state().nodes(), () -> 1),
        SearchFixture.caller(),
        services);
  }

  /** Returns the failures in the response to a page whose contexts have all failed. */
  private static List<ShardSearchFailure> failures(int contexts) throws IOException {
    List<Exception> thrown = new ArrayList<>();
    ScrollExecution page =
        page(
            id(ParsedScrollId.QUERY_THEN_FETCH_TYPE, contexts),
            new RequestContext(Runnable::run, 1, Map.of()),
            ActionListener.wrap(
                response -> {
                  throw new AssertionError("got " + response + " (expected: a failure)");
                },
                thrown::add));
    NodeRound<?> round = page.createQueryRound();
    for (int call = 0; call < round.callCount(); call++) {
      round.onFailure(call, new IllegalStateException("gone"));
    }
    page.failAllShards(round.name());

    assertThat(thrown).singleElement().isInstanceOf(SearchPhaseExecutionException.class);
    return List.of(((SearchPhaseExecutionException) thrown.getFirst()).shardFailures());
  }

  /** The shards that are then cancelled fail with the status of a cancelled call. */
  @Test
  void reportTheLackOfMemoryWhereNoShardIsLeft() throws IOException {
    List<Exception> thrown = new ArrayList<>();
    ScrollExecution page =
        page(
            id(ParsedScrollId.QUERY_THEN_FETCH_TYPE, 2),
            new RequestContext(Runnable::run, 1, Map.of()),
            ActionListener.wrap(
                response -> {
                  throw new AssertionError("got " + response + " (expected: a failure)");
                },
                thrown::add));
    NodeRound<?> round = page.createQueryRound();
    round.onFailure(
        0,
        new NodeCallException(
            NodeCallException.Kind.OVER_BUDGET,
            "n0",
            new CircuitBreakingException("too large", 2, 1, CircuitBreaker.Durability.TRANSIENT)));
    round.onFailure(1, new TransportException("failure to send"));
    page.failAllShards("fetch");
    assertThat(thrown)
        .singleElement()
        .satisfies(failure -> {
          assertThat(ExceptionsHelper.status(failure)).isEqualTo(RestStatus.TOO_MANY_REQUESTS);
          assertThat(failure).hasRootCauseMessage("too large");
        });
  }

  @Test
  void releaseMemoryWhenWritingThePageFails() throws Exception {
    LimitedMemory memory = new LimitedMemory();
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    context.resources().setMemory(memory);
    ScrollExecution page =
        page(
            id(ParsedScrollId.QUERY_THEN_FETCH_TYPE, 1),
            context,
            ActionListener.wrap(
                response -> {
                  throw new AssertionError("can't be written");
                },
                thrown -> {}));
    answer(page);
    assertThat(memory.used()).isPositive();

    assertThatThrownBy(() -> page.respond(1)).hasMessage("can't be written");
    assertThat(memory.used()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {ParsedScrollId.QUERY_THEN_FETCH_TYPE, ParsedScrollId.QUERY_AND_FETCH_TYPE})
  void failThePageWithoutMemoryForItsObjects(String type) throws Exception {
    LimitedMemory memory = new LimitedMemory(50_000);
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    context.resources().setMemory(memory);
    List<Exception> thrown = new ArrayList<>();
    ScrollExecution page =
        page(
            id(type, 1),
            context,
            ActionListener.wrap(
                response -> {
                  throw new AssertionError("got " + response + " (expected: a failure)");
                },
                thrown::add));
    List<String> cancellations = new ArrayList<>();
    page.onUnrecoverable(cancellations::add);
    NodeRound<?> round = page.createQueryRound();
    Writeable reply =
        type.equals(ParsedScrollId.QUERY_AND_FETCH_TYPE)
            ? new ScrollQueryFetchSearchResult(
                new QueryFetchSearchResult(found(1), hit(100_000)), TARGET)
            : new ScrollQuerySearchResult(found(10_000), TARGET);
    CircuitBreakingException refused =
        catchThrowableOfType(
            CircuitBreakingException.class,
            () -> {
              try (BytesStreamOutput out = new BytesStreamOutput()) {
                reply.writeTo(out);
                round.createCall(0).reader().read(out.bytes().streamInput());
              }
            });
    assertThat(refused).hasMessageContaining("for a test");
    round.onFailure(0, new NodeCallException(NodeCallException.Kind.OVER_BUDGET, "n0", refused));
    page.failAllShards(round.name());

    assertThat(cancellations).hasSize(1);
    assertThat(thrown).hasSize(1);
    assertThat(ExceptionsHelper.status(thrown.getFirst())).isEqualTo(RestStatus.TOO_MANY_REQUESTS);
    assertThat(memory.used()).isZero();
  }

  /**
   * A refused page is lost, because its search context has moved on.
   *
   * @param smallPages how many come before, a sixteenth as long as the large one
   * @param percent the memory for the objects of a page, of the large page's bytes
   */
  @ParameterizedTest
  @CsvSource({"0, 200", "64, 90"})
  void readALargePage(int smallPages, int percent) throws Exception {
    byte[] small = writtenPage(100_000);
    byte[] large = writtenPage(1_600_000);
    readPage(small, services(), new LimitedMemory()); // loads the classes, which takes memory too
    LimitedMemory memory = new LimitedMemory(large.length * (long) percent / 100);
    ReduceServices services = services();
    for (int page = 0; page < smallPages; page++) {
      readPage(small, services, memory);
    }
    assertThat(readPage(large, services, memory).getHits().getHits()).hasSize(1);
    assertThat(memory.used()).isZero();
  }

  private static byte[] writtenPage(int hitBytes) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      new ScrollQueryFetchSearchResult(new QueryFetchSearchResult(found(1), hit(hitBytes)), TARGET)
          .writeTo(out);
      return BytesReference.toBytes(out.bytes());
    }
  }

  /** Returns the response with a page that a node sent with its hits. */
  @SuppressWarnings("unchecked")
  private static SearchResponse readPage(byte[] sent, ReduceServices services, LimitedMemory memory)
      throws Exception {
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    context.resources().setMemory(memory);
    List<SearchResponse> responses = new ArrayList<>();
    ScrollExecution page =
        page(
            id(ParsedScrollId.QUERY_AND_FETCH_TYPE, 1),
            context,
            ActionListener.wrap(
                responses::add,
                thrown -> {
                  throw new AssertionError(thrown);
                }),
            services);
    NodeRound<ScrollQueryFetchSearchResult> round =
        (NodeRound<ScrollQueryFetchSearchResult>) page.createQueryRound();
    FrameStreamInput in =
        new FrameStreamInput(new BytesArray(sent), Version.CURRENT, REGISTRIES.writeables(), false);
    round.onReply(0, round.createCall(0).reader().read(in), new CountedFrame(), () -> {});
    assertThat(page.createFetchRound().callCount()).isZero();
    page.respond(1);
    return responses.getFirst();
  }

  /** Returns a query result with some documents. */
  private static QuerySearchResult found(int count) {
    ScoreDoc[] docs = new ScoreDoc[count];
    for (int doc = 0; doc < count; doc++) {
      docs[doc] = new ScoreDoc(doc, 1);
    }
    QuerySearchResult query = new QuerySearchResult(SearchFixture.contextId(1), null, null);
    query.topDocs(
        new TopDocsAndMaxScore(
            new TopDocs(new TotalHits(count, TotalHits.Relation.EQUAL_TO), docs), 1),
        null);
    query.size(10);
    query.setSearchShardTarget(TARGET);
    return query;
  }

  /** Returns a fetch result with one hit that has a text of so many bytes. */
  private static FetchSearchResult hit(int bytes) {
    SearchHit hit = new SearchHit(0, "d0", Map.of(), Map.of());
    hit.sourceRef(new BytesArray("{\"text\":\"" + "x".repeat(bytes) + "\"}"));
    FetchSearchResult fetched = new FetchSearchResult(SearchFixture.contextId(1), null);
    fetched.hits(
        new SearchHits(
            new SearchHit[] {hit}, new TotalHits(1, TotalHits.Relation.EQUAL_TO), Float.NaN));
    return fetched;
  }

  /** Answers the query and the fetch of a page of one large hit. */
  @SuppressWarnings("unchecked")
  private static void answer(ScrollExecution page) throws Exception {
    NodeRound<ScrollQuerySearchResult> first =
        (NodeRound<ScrollQuerySearchResult>) page.createQueryRound();
    first.onReply(0, new ScrollQuerySearchResult(found(1), TARGET), new CountedFrame(), () -> {});

    NodeRound<FetchSearchResult> second = (NodeRound<FetchSearchResult>) page.createFetchRound();
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      hit(100_000).writeTo(out);
      FetchSearchResult read = second.createCall(0).reader().read(out.bytes().streamInput());
      second.onReply(0, read, new CountedFrame(), () -> {});
    }
  }

  private static ParsedScrollId id(String type, int contexts) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeString(type);
      out.writeVInt(contexts);
      for (int context = 0; context < contexts; context++) {
        out.writeLong(context);
        out.writeString("n0");
      }
      return SearchInternals.parseScrollId(
          Base64.getUrlEncoder().encodeToString(BytesReference.toBytes(out.bytes())));
    }
  }
}
