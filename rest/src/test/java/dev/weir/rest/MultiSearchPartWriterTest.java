package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.testkit.fixtures.TestExchange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.lucene.search.TotalHits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchStatusException;
import org.opensearch.action.search.MultiSearchRequest;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.MultiSearchResponse.Item;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchResponse.Clusters;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.internal.InternalSearchResponse;

/** Multi-searches whose parts are written one by one, in a gateway with 1 MB for responses. */
class MultiSearchPartWriterTest {
  private static final long LIMIT = 1 << 20;
  private static final int PARTS = 40;

  private final MemoryPool responses = new MemoryPool(LIMIT);
  private final GatewayMemory memory =
      new GatewayMemory(
          new RequestMemoryPolicy(true, new ByteSize(10 * LIMIT), new ByteSize(LIMIT), 1),
          new GatewayMemory.Pools(new MemoryPool(LIMIT), responses, new MemoryPool(LIMIT)),
          () -> 0);
  private final RestThreadContext threadContext =
      new RestThreadContext(RestDispatcherFixture.REGISTRIES.settings());
  private final RecordingExecutor executor = new RecordingExecutor();
  private final RestDispatcher dispatcher =
      new RestDispatcher(RestDispatcherFixture.REGISTRIES, threadContext, executor);

  @AfterEach
  void nothingIsOwed() {
    threadContext.close();
    assertThat(responses.usedBytes()).isZero();
    assertThat(memory.usedBytes()).isZero();
  }

  private TestExchange send(String uri) {
    return send(uri, "json");
  }

  private TestExchange send(String uri, String format) {
    executor.forget();
    TestExchange exchange =
        TestExchange.queued("POST", uri)
            .memory(memory.openAccount("POST", uri, null))
            .header("Accept", "application/" + format)
            .json("{\"index\":\"i\"}\n{}\n".repeat(PARTS));
    dispatcher.handle(exchange);
    exchange.runEventLoop();
    return exchange;
  }

  private MultiSearchPartWriter writer() {
    MultiSearchRequest request = (MultiSearchRequest) executor.only().request();
    return (MultiSearchPartWriter)
        Objects.requireNonNull(PartwiseMultiSearchRequest.writerOf(request));
  }

  private static Item item(int part) {
    if (part % 7 == 3) {
      return new Item(null, new IndexNotFoundException("gone-" + part));
    }
    if (part % 7 == 5) {
      return new Item(null, new OpenSearchStatusException("full", RestStatus.TOO_MANY_REQUESTS));
    }
    return new Item(response(part, part % 7 == 2 ? 20_000 : part), null);
  }

  private static SearchResponse response(int part, int idLength) {
    SearchHit hit = new SearchHit(part, "x".repeat(idLength) + part, null, null);
    SearchHits hits =
        new SearchHits(
            new SearchHit[] {hit}, new TotalHits(part, TotalHits.Relation.EQUAL_TO), 0.5f);
    return new SearchResponse(
        new InternalSearchResponse(hits, null, null, null, false, null, 1),
        null,
        5,
        5,
        0,
        part,
        ShardSearchFailure.EMPTY_ARRAY,
        Clusters.EMPTY);
  }

  private static MultiSearchResponse whole(long took) {
    Item[] items = new Item[PARTS];
    for (int part = 0; part < PARTS; part++) {
      items[part] = item(part);
    }
    return new MultiSearchResponse(items, took);
  }

  @Test
  void writeTheBytesOfANodeWhateverTheOrder() throws IOException {
    for (String parameters : List.of("", "?human=true", "?error_trace=true", "?typed_keys=true")) {
      TestExchange plain = send("/_msearch" + parameters);
      executor.only().answer(whole(1234));
      plain.runEventLoop();
      String expected = plain.text();
      plain.readToEnd();

      TestExchange exchange = send("/_msearch" + parameters);
      MultiSearchPartWriter writer = writer();
      List<Integer> order = new ArrayList<>();
      for (int part = 0; part < PARTS; part++) {
        order.add((part * 17 + 5) % PARTS);
      }
      for (int part : order) {
        writer.write(part, item(part));
      }
      executor.only().answer(writer.toResponse(1234));
      exchange.runEventLoop();
      assertThat(exchange.reply().status()).isEqualTo(200);
      if (!parameters.contains("trace")) { // the traces are of other lines
        assertThat(exchange.text()).isEqualTo(expected);
      }
      assertThat(exchange.replyHeader("content-type")).isEqualTo(plain.replyHeader("content-type"));
      exchange.readToEnd();
    }
  }

  @Test
  void holdThePagesOfTheWrittenPartsUntilTheClientHasThem() throws IOException {
    TestExchange exchange = send("/_msearch");
    MultiSearchPartWriter writer = writer();
    long before = responses.usedBytes();
    for (int part = 0; part < PARTS; part++) {
      writer.write(part, new Item(response(part, 5_000), null));
    }
    assertThat(responses.usedBytes() - before)
        .as("what the parsed body has not prepaid")
        .isBetween(150_000L, 300_000L);
    executor.only().answer(writer.toResponse(1));
    exchange.runEventLoop();
    assertThat(responses.usedBytes()).isGreaterThan(200_000);
    exchange.readToEnd();
    assertThat(responses.usedBytes()).isZero();
  }

  @Test
  void keepNothingOfAPartThatFindsNoMemory() throws IOException {
    TestExchange exchange = send("/_msearch");
    MultiSearchPartWriter writer = writer();
    writer.write(0, new Item(response(0, 10), null));
    assertThatThrownBy(() -> writer.write(1, new Item(response(1, 2_000_000), null)))
        .isInstanceOf(CircuitBreakingException.class);
    for (int part = 1; part < PARTS; part++) {
      writer.write(part, new Item(response(part, 10), null));
    }
    executor.only().answer(writer.toResponse(1));
    exchange.runEventLoop();
    assertThat(exchange.text())
        .contains("\"_id\":\"xxxxxxxxxx1\"", "\"_id\":\"xxxxxxxxxx39\"")
        .hasSizeLessThan(PARTS * 300);
    exchange.readToEnd();
  }

  @Test
  void releaseThePagesWhenTheClientLeaves() throws IOException {
    TestExchange exchange = send("/_msearch");
    writer().write(7, new Item(response(7, 100_000), null));
    exchange.disconnect();
    exchange.runEventLoop();
    assertThat(responses.usedBytes()).isZero();
  }

  @Test
  void leaveThePagesToOthersOnceTheClientHasLeft() throws IOException {
    TestExchange left = send("/_msearch");
    MultiSearchPartWriter late = writer();
    left.disconnect();
    left.runEventLoop();

    TestExchange exchange = send("/_msearch");
    MultiSearchPartWriter writer = writer();
    for (int part = 0; part < PARTS; part++) {
      writer.write(part, new Item(response(part, 10), null));
    }
    executor.only().answer(writer.toResponse(1));
    exchange.runEventLoop();
    String sent = exchange.text();
    late.write(0, new Item(null, new IndexNotFoundException("late"))); // as a cancelled search ends
    assertThat(exchange.text()).isEqualTo(sent).startsWith("{\"took\":1,\"responses\":[{");
    exchange.readToEnd();
  }

  @Test
  void writeOtherFormatsAsAWhole() {
    for (String wish : List.of("?pretty", "?filter_path=took", "yaml", "cbor", "smile")) {
      boolean isParameter = wish.startsWith("?");
      TestExchange exchange =
          send("/_msearch" + (isParameter ? wish : ""), isParameter ? "json" : wish);
      assertThat(exchange.isAnswered() ? exchange.text() : "").isEmpty();
      assertThat(
              PartwiseMultiSearchRequest.writerOf((MultiSearchRequest) executor.only().request()))
          .as(wish)
          .isNull();
      executor.only().answer(whole(1));
      exchange.runEventLoop();
      assertThat(exchange.reply().status()).isEqualTo(200);
      exchange.readToEnd();
    }
  }

  @Test
  void keepTheParametersOfTheRequest() {
    TestExchange exchange = send("/_msearch?max_concurrent_searches=3&pretty=false");
    MultiSearchRequest request = (MultiSearchRequest) executor.only().request();
    assertThat(request.maxConcurrentSearchRequests()).isEqualTo(3);
    assertThat(request.requests()).hasSize(PARTS);
    executor.only().answer(whole(1));
    exchange.runEventLoop();
    exchange.readToEnd();
  }
}
