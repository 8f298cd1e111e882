package dev.weir.responses.columnar;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.IndexNameResolver;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.DeadlineResolver;
import dev.weir.model.PassThroughException;
import dev.weir.rest.MultiSearchPartSink;
import dev.weir.rest.PartwiseMultiSearchRequest;
import dev.weir.rest.RecordingExecutor;
import dev.weir.rest.RestDispatcher;
import dev.weir.rest.RestDispatcherFixture;
import dev.weir.rest.RestThreadContext;
import dev.weir.testkit.fixtures.TestExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.apache.lucene.search.TotalHits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.search.ClearScrollAction;
import org.opensearch.action.search.ClearScrollRequest;
import org.opensearch.action.search.ClearScrollResponse;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchResponseSections;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchShardTarget;

/** Searches for columns: memory accounting, the requests to nodes, failures. */
class ColumnarAnswersTest {
  private static final long LIMIT = 4 << 20;

  private final MemoryPool answers = new MemoryPool(LIMIT);
  private final GatewayMemory memory =
      new GatewayMemory(
          new RequestMemoryPolicy(true, new ByteSize(10 * LIMIT), new ByteSize(LIMIT), 1),
          new GatewayMemory.Pools(new MemoryPool(LIMIT), answers, new MemoryPool(LIMIT)),
          () -> 0);
  private final RestThreadContext threadContext =
      new RestThreadContext(RestDispatcherFixture.REGISTRIES.settings());
  private final RecordingExecutor executor = new RecordingExecutor();
  private final RestDispatcher dispatcher =
      new RestDispatcher(
          RestDispatcherFixture.REGISTRIES,
          threadContext,
          executor,
          new RestDispatcher.RestExtensions(
              null,
              new ColumnarResponseFormats(
                  new Nothing(),
                  new IndexNameResolver(threadContext.threadContext()),
                  RestDispatcherFixture.REGISTRIES.writeables())),
          DeadlineResolver.NONE,
          () -> 1);

  private static final class Nothing implements ClusterViewSource {
    @Override
    public ClusterView current() {
      return ClusterView.empty(0);
    }

    @Override
    public CompletionStage<ClusterView> refresh(ClusterView stale) {
      return CompletableFuture.completedStage(stale);
    }
  }

  @AfterEach
  void nothingIsOwed() {
    threadContext.close();
    assertThat(answers.usedBytes()).isZero();
    assertThat(memory.usedBytes()).isZero();
  }

  private TestExchange asked(String uri, String body) {
    TestExchange exchange =
        TestExchange.queued("POST", uri).memory(memory.openAccount("POST", uri, null)).json(body);
    dispatcher.handle(exchange);
    exchange.runEventLoop();
    return exchange;
  }

  private static SearchResponse page(int hits, String source) {
    SearchHit[] page = new SearchHit[hits];
    for (int i = 0; i < hits; i++) {
      page[i] = new SearchHit(i, "id" + i, Map.of(), Map.of());
      page[i].shard(new SearchShardTarget("n", new ShardId(new Index("docs", "u"), 0), null, null));
      page[i].sourceRef(
          new BytesArray(
              source.replace("#", Integer.toString(i)).getBytes(StandardCharsets.UTF_8)));
    }
    TotalHits total = new TotalHits(hits, TotalHits.Relation.EQUAL_TO);
    return new SearchResponse(
        new SearchResponseSections(
            new SearchHits(page, total, Float.NaN), null, null, false, null, null, 1),
        null,
        1,
        1,
        0,
        1,
        ShardSearchFailure.EMPTY_ARRAY,
        SearchResponse.Clusters.EMPTY);
  }

  private TestExchange answered(String columnar, int hits, String source) {
    TestExchange exchange = asked("/docs/_search?columnar=" + columnar, "{}");
    executor.only().answer(page(hits, source));
    exchange.runEventLoop();
    return exchange;
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "csv", "arrow"})
  void paysUntilTheLastByteHasLeft(String columnar) {
    TestExchange exchange =
        answered(columnar, 500, "{\"a\":\"" + "x".repeat(1000) + "#\",\"b\":#}");

    assertThat(exchange.reply().status()).isEqualTo(200);
    assertThat(answers.usedBytes()).isGreaterThanOrEqualTo(500_000);
    exchange.readToEnd();
    assertThat(answers.usedBytes()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "csv", "arrow"})
  void keepsItsBytesWhileOthersAreAnswered(String columnar) {
    TestExchange first = answered(columnar, 500, "{\"a\":\"" + "x".repeat(1000) + "#\",\"b\":#}");
    byte[] whole = first.bytes();
    executor.forget();
    TestExchange second = answered("json", 400, "{\"c\":\"" + "y".repeat(900) + "#\"}");

    assertThat(second.text()).startsWith("{\"took\":1,");
    assertThat(first.bytes()).isEqualTo(whole);
    if (columnar.equals("json")) {
      assertThat(XContentHelper.convertToMap(JsonXContent.jsonXContent, first.text(), true))
          .containsKeys("took", "_shards", "hits", "columns", "values");
    }
    first.readToEnd();
    second.readToEnd();
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "csv", "arrow"})
  void rejectColumnsWithoutMemoryLikeANode(String columnar) {
    TestExchange exchange = answered(columnar, 6000, "{\"a\":\"" + "x".repeat(1000) + "#\"}");

    assertThat(exchange.reply().status()).isEqualTo(429);
    assertThat(exchange.text())
        .contains("circuit_breaking_exception", "Data too large, data for [answer to the client]");
    exchange.readToEnd();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 5000})
  void keepsTheHeaderShort(int length) {
    TestExchange exchange = asked("/docs/_search?columnar=csv", "{\"sort\":[\"a\"]}");
    SearchResponse page = page(1, "{}");
    page.getHits()
        .getAt(0)
        .sortValues(new Object[] {"s".repeat(length)}, new DocValueFormat[] {DocValueFormat.RAW});
    executor.only().answer(page);
    exchange.runEventLoop();

    String told =
        exchange.reply().headers().stream()
            .filter(header -> header.getKey().equals("X-Weir-Response-Metadata"))
            .map(Map.Entry::getValue)
            .collect(joining());
    assertThat(told).startsWith("{\"took\":1,").hasSizeLessThanOrEqualTo(4096);
    assertThat(told.contains("search_after")).isEqualTo(length == 10);
    exchange.readToEnd();
  }

  @Test
  void rejectTooManyColumns() {
    String members =
        IntStream.range(0, 10_001).mapToObj(i -> "\"c" + i + "\":1").collect(joining(","));
    TestExchange exchange = answered("json", 1, "{" + members + "}");

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text()).contains("got more than 10000 columns");
    exchange.readToEnd();
  }

  @Test
  void asksForNoDocumentsWhereFieldsAreNamed() {
    TestExchange exchange = asked("/docs/_search?columnar=true", "{\"fields\":[\"a\"]}");
    SearchRequest fields = (SearchRequest) executor.only().request();
    assertThat(fields.source().fetchSource().fetchSource()).isFalse();
    executor.only().answer(page(0, ""));
    exchange.runEventLoop();
    exchange.readToEnd();
    executor.forget();

    TestExchange both =
        asked("/docs/_search?columnar=true", "{\"fields\":[\"a\"],\"_source\":[\"b\"]}");
    SearchRequest documents = (SearchRequest) executor.only().request();
    assertThat(documents.source().fetchSource().includes()).containsExactly("b");
    executor.only().answer(page(0, ""));
    both.runEventLoop();
    both.readToEnd();
  }

  @Test
  void explainWhyARequestCannotPassThrough() {
    TestExchange exchange = asked("/docs/_search?columnar=true", "{}");
    executor.only().fail(new PassThroughException("search-pipeline"));
    exchange.runEventLoop();

    assertThat(exchange.reply().status()).isEqualTo(406);
    assertThat(exchange.text())
        .contains("only a node can answer, because of [search-pipeline]", "\"status\":406");
    exchange.readToEnd();
  }

  private TestExchange askedMany(String columnar) {
    TestExchange exchange =
        TestExchange.queued("POST", "/_msearch?columnar=" + columnar)
            .memory(memory.openAccount("POST", "/_msearch", null))
            .json("{\"index\":\"docs\"}\n{}\n{\"index\":\"gone\"}\n{}\n");
    dispatcher.handle(exchange);
    exchange.runEventLoop();
    return exchange;
  }

  private MultiSearchPartSink parts() {
    return Objects.requireNonNull(
        PartwiseMultiSearchRequest.writerOf((MultiSearchRequest) executor.only().request()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"json", "arrow"})
  void writesPartsInAnyOrderAndPaysUntilTheLastByteHasLeft(String columnar) throws IOException {
    TestExchange exchange = askedMany(columnar);
    MultiSearchPartSink parts = parts();
    parts.write(1, new MultiSearchResponse.Item(null, new IndexNotFoundException("gone")));
    parts.write(
        0, new MultiSearchResponse.Item(page(500, "{\"a\":\"" + "x".repeat(1000) + "#\"}"), null));
    executor.only().answer(parts.toResponse(12));
    exchange.runEventLoop();

    assertThat(exchange.reply().status()).isEqualTo(200);
    assertThat(answers.usedBytes()).isGreaterThanOrEqualTo(500_000);
    if (columnar.equals("json")) {
      assertThat(exchange.text())
          .startsWith("{\"took\":12,\"responses\":[{\"took\":1,")
          .contains(",\"status\":200},{\"error\":{")
          .endsWith(",\"status\":404}]}");
    }
    exchange.readToEnd();
    assertThat(answers.usedBytes()).isZero();
  }

  @Test
  void keepsNothingOfAPartWithoutMemory() throws IOException {
    TestExchange exchange = askedMany("json");
    MultiSearchPartSink parts = parts();
    SearchResponse large = page(6000, "{\"a\":\"" + "x".repeat(1000) + "#\"}");
    assertThatThrownBy(() -> parts.write(0, new MultiSearchResponse.Item(large, null)))
        .isInstanceOf(CircuitBreakingException.class);
    assertThat(answers.usedBytes()).isZero();

    String members =
        IntStream.range(0, 10_001).mapToObj(i -> "\"c" + i + "\":1").collect(joining(","));
    parts.write(0, new MultiSearchResponse.Item(page(1, "{" + members + "}"), null));
    parts.write(1, new MultiSearchResponse.Item(page(0, ""), null));
    executor.only().answer(parts.toResponse(1));
    exchange.runEventLoop();
    assertThat(exchange.text()).contains("got more than 10000 columns", "\"status\":400},{");
    exchange.readToEnd();
    parts.write(1, new MultiSearchResponse.Item(page(0, ""), null)); // the client has left
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 4096, 4097})
  void keepsIdsOfScrollsWhereTheyFit(int length) {
    String id = "s".repeat(length);
    for (String columnar : new String[] {"csv", "arrow", "json"}) {
      TestExchange exchange =
          asked("/_search/scroll?columnar=" + columnar, "{\"scroll_id\":\"old\"}");
      SearchResponse page = page(2, "{\"a\":1}");
      executor.only().answer(page(page, id));
      exchange.runEventLoop();

      boolean isRefused = columnar.equals("csv") && length > 4096;
      assertThat(exchange.reply().status()).isEqualTo(isRefused ? 400 : 200);
      boolean hasHeader = exchange.reply().headers().contains(Map.entry("X-Weir-Scroll-Id", id));
      assertThat(hasHeader).isEqualTo(!columnar.equals("json") && length <= 4096);
      if (!columnar.equals("csv")) {
        assertThat(exchange.text()).contains(id);
      }
      exchange.readToEnd();
      executor.forget();
    }
  }

  @Test
  void clearsAScrollThatTheClientGetsNoIdOf() {
    String id = "s".repeat(5000);
    TestExchange exchange = asked("/docs/_search?scroll=1m&columnar=csv", "{}");
    executor.only().answer(page(page(2, "{\"a\":1}"), id));
    exchange.runEventLoop();

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(executor.calls()).hasSize(2);
    RecordingExecutor.Call clear = executor.calls().getLast();
    assertThat(clear.action()).isEqualTo(ClearScrollAction.NAME);
    assertThat(((ClearScrollRequest) clear.request()).getScrollIds()).containsExactly(id);
    clear.answer(new ClearScrollResponse(true, 1));
    exchange.readToEnd();
  }

  @Test
  void showsTheScoresOfNamedQueries() {
    TestExchange exchange =
        asked("/docs/_search?columnar=true&include_named_queries_score=true", "{}");
    SearchResponse page = page(1, "{}");
    page.getHits().getAt(0).matchedQueriesWithScores(Map.of("m", 1.5f));
    executor.only().answer(page);
    exchange.runEventLoop();

    assertThat(exchange.text())
        .contains("{\"name\":\"_matched_queries\",\"type\":\"object\"}", "[{\"m\":1.5}]");
    exchange.readToEnd();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/docs/_search?columnar=true | {\"include_named_queries_score\":true}",
        "/docs/_search?columnar=true&scroll=1m&include_named_queries_score=true | {}"
      })
  void showsTheNamesOfNamedQueriesWithoutTheParameterOrInAScroll(String uri, String body) {
    TestExchange exchange = asked(uri, body);
    SearchRequest search = (SearchRequest) executor.only().request();
    assertThat(search.source().includeNamedQueriesScore()).isFalse();
    SearchResponse page = page(1, "{}");
    page.getHits().getAt(0).matchedQueriesWithScores(Map.of("m", 1.5f));
    executor.only().answer(page);
    exchange.runEventLoop();

    assertThat(exchange.text())
        .contains("{\"name\":\"_matched_queries\",\"type\":\"keyword\"}", "[\"m\"]")
        .doesNotContain("1.5");
    exchange.readToEnd();
  }

  private static SearchResponse page(SearchResponse hits, String scrollId) {
    return new SearchResponse(
        hits.getInternalResponse(),
        scrollId,
        1,
        1,
        0,
        1,
        ShardSearchFailure.EMPTY_ARRAY,
        SearchResponse.Clusters.EMPTY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/_search/scroll?columnar=csv", "/docs/_msearch?columnar=true"})
  void explainWhyFurtherRequestsCannotPassThrough(String uri) {
    String body = uri.contains("msearch") ? "{}\n{}\n" : "{\"scroll_id\":\"s\"}";
    TestExchange exchange = asked(uri, body);
    executor.only().fail(new PassThroughException("search-pipeline"));
    exchange.runEventLoop();
    assertThat(exchange.reply().status()).isEqualTo(406);
    exchange.readToEnd();
  }

  @Test
  void tellsAMisspeltNameFromOneOfAPlugin() {
    TestExchange misspelt =
        asked("/docs/_search?columnar=true", "{\"query\":{\"mathc\":{\"a\":1}}}");
    assertThat(misspelt.reply().status()).isEqualTo(400);
    assertThat(misspelt.text()).contains("unknown query [mathc] did you mean [match]?");
    misspelt.readToEnd();
    TestExchange known = asked("/docs/_search?columnar=true", "{\"query\":{\"knn\":{\"a\":1}}}");
    assertThat(known.reply().status()).isEqualTo(406);
    known.readToEnd();
  }
}
