package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.fixtures.TestExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.opensearch.action.DocWriteResponse;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.SearchResponseSections;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.index.get.GetResult;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;

/** How responses and failures of actions are written. */
class RestResponsesTest {
  private static final String FOUND =
      "{\"_index\":\"a\",\"_id\":\"1\",\"_version\":2,\"_seq_no\":3,\"_primary_term\":4,"
          + "\"found\":true,\"_source\":{\"k\":[1,{\"x\":\"ü\"}]}}";

  @RegisterExtension final RestDispatcherFixture open = new RestDispatcherFixture();

  private static GetResponse found() {
    return get(true, new BytesArray("{\"k\":[1,{\"x\":\"ü\"}]}"));
  }

  private static GetResponse missing() {
    return get(false, null);
  }

  private static GetResponse get(boolean exists, @Nullable BytesReference source) {
    return new GetResponse(
        new GetResult(
            "a",
            "1",
            exists ? 3 : -2,
            exists ? 4 : 0,
            exists ? 2 : -1,
            exists,
            source,
            Map.of(),
            Map.of()));
  }

  private TestExchange answered(TestExchange exchange, GetResponse response) {
    open.send(exchange);
    open.executor().only().answer(response);
    return exchange;
  }

  @Test
  void writesADocument() {
    TestExchange exchange = answered(TestExchange.queued("GET", "/a/_doc/1"), found());

    assertThat(exchange.reply().status()).isEqualTo(200);
    assertThat(exchange.reply().contentType()).isEqualTo("application/json; charset=UTF-8");
    assertThat(exchange.text()).isEqualTo(FOUND);
  }

  @Test
  void saysThatADocumentIsMissing() {
    TestExchange exchange = answered(TestExchange.queued("GET", "/a/_doc/1"), missing());

    assertThat(exchange.reply().status()).isEqualTo(404);
    assertThat(exchange.text()).isEqualTo("{\"_index\":\"a\",\"_id\":\"1\",\"found\":false}");
  }

  @Test
  void announcesTheBodyOfHead() {
    TestExchange exchange = answered(TestExchange.queued("HEAD", "/a/_doc/1"), found());

    assertThat(exchange.reply().status()).isEqualTo(200);
    assertThat(exchange.bytes()).hasSize(FOUND.getBytes(StandardCharsets.UTF_8).length);
  }

  @Test
  void writesOnlyTheSource() {
    TestExchange exchange = answered(TestExchange.queued("GET", "/a/_source/1"), found());

    assertThat(exchange.text()).isEqualTo("{\"k\":[1,{\"x\":\"ü\"}]}");
  }

  @Test
  void filtersByPath() {
    TestExchange exchange =
        answered(
            TestExchange.queued("GET", "/a/_doc/1?filter_path=_id,_source.k.x,-_source.none"),
            found());

    assertThat(exchange.text()).isEqualTo("{\"_id\":\"1\",\"_source\":{\"k\":[{\"x\":\"ü\"}]}}");
  }

  @Test
  void printsPrettily() {
    TestExchange exchange = answered(TestExchange.queued("GET", "/a/_doc/1?pretty"), missing());

    assertThat(exchange.text())
        .isEqualTo("{\n  \"_index\" : \"a\",\n  \"_id\" : \"1\",\n  \"found\" : false\n}\n");
  }

  @Test
  void writesYaml() {
    TestExchange exchange =
        answered(TestExchange.queued("GET", "/a/_doc/1?format=yaml"), missing());

    assertThat(exchange.reply().contentType()).isEqualTo("application/yaml");
    assertThat(exchange.text()).isEqualTo("---\n_index: \"a\"\n_id: \"1\"\nfound: false\n");
  }

  @Test
  void writesBinaryFormatsByAccept() throws IOException {
    for (XContentType type : List.of(XContentType.CBOR, XContentType.SMILE)) {
      RestDispatcherFixture session = open.again();
      TestExchange exchange =
          session.send(TestExchange.queued("GET", "/a/_doc/1").header("accept", type.mediaType()));
      session.executor().only().answer(missing());

      assertThat(exchange.reply().contentType()).isEqualTo(type.mediaType());
      assertThat(parsed(type, exchange.bytes())).containsEntry("found", false);
    }
  }

  private static Map<String, Object> parsed(MediaType type, byte[] bytes) throws IOException {
    try (XContentParser parser =
        type.xContent().createParser(NamedXContentRegistry.EMPTY, null, bytes)) {
      return parser.map();
    }
  }

  @Test
  void saysWhereADocumentIs() {
    TestExchange exchange = open.send(TestExchange.queued("POST", "/a/_doc?routing=r").json("{}"));
    open.executor()
        .only()
        .answer(
            (DocWriteResponse) new IndexResponse(new ShardId("a", "u", 0), "i/d", 0, 1, 1, true));

    assertThat(exchange.reply().status()).isEqualTo(201);
    assertThat(exchange.replyHeader("Location")).containsExactly("/a/_doc/i%2Fd?routing=r");
  }

  @Test
  void repeatsTheClientsIds() {
    TestExchange exchange =
        answered(
            TestExchange.queued("GET", "/a/_doc/1")
                .header("x-opaque-id", "me")
                .header("x-request-id", "0123456789abcdef0123456789abcdef"),
            found());

    assertThat(exchange.replyHeader("X-Opaque-Id")).containsExactly("me");
    assertThat(exchange.replyHeader("X-Request-Id"))
        .containsExactly("0123456789abcdef0123456789abcdef");
  }

  @Test
  void writesAFailureOfAnAction() {
    TestExchange exchange = open.send(TestExchange.queued("GET", "/a/_doc/1"));
    open.executor().only().fail(new IndexNotFoundException("a"));

    assertThat(exchange.reply().status()).isEqualTo(404);
    assertThat(exchange.text())
        .isEqualTo(
            "{\"error\":{\"root_cause\":[{\"type\":\"index_not_found_exception\","
                + "\"reason\":\"no such index [a]\",\"index\":\"a\",\"index_uuid\":\"_na_\"}],"
                + "\"type\":\"index_not_found_exception\",\"reason\":\"no such index [a]\","
                + "\"index\":\"a\",\"index_uuid\":\"_na_\"},\"status\":404}");
  }

  @Test
  void writesAFailureThatAnActionThrows() {
    open.executor().throwing(new IndexNotFoundException("a"));

    TestExchange exchange = open.send(TestExchange.queued("GET", "/a/_doc/1"));

    assertThat(exchange.reply().status()).isEqualTo(404);
  }

  @Test
  void writesALargeAnswerAgainAfterItsPagesWereGivenBack() {
    TestExchange first = largeAnswer(TestExchange.queued("GET", "/a/_search"), open.again());
    byte[] sent = first.bytes();
    assertThat(new String(sent, StandardCharsets.UTF_8)).endsWith("]}}");
    first.readToEnd();

    TestExchange second = largeAnswer(TestExchange.queued("GET", "/a/_search"), open.again());

    assertThat(second.bytes()).isEqualTo(sent);
  }

  private static TestExchange largeAnswer(TestExchange exchange, RestDispatcherFixture session) {
    session.send(exchange);
    SearchHit[] hits = new SearchHit[1000];
    BytesReference source = new BytesArray("{\"k\":\"" + "v".repeat(1000) + "\"}");
    for (int i = 0; i < hits.length; i++) {
      hits[i] = new SearchHit(i, "id" + i, Map.of(), Map.of());
      hits[i].sourceRef(source);
    }
    SearchHits all = new SearchHits(hits, new TotalHits(1000, TotalHits.Relation.EQUAL_TO), 1);
    session
        .executor()
        .only()
        .answer(
            new SearchResponse(
                new SearchResponseSections(all, null, null, false, false, null, 1),
                null,
                1,
                1,
                0,
                5,
                ShardSearchFailure.EMPTY_ARRAY,
                SearchResponse.Clusters.EMPTY));
    return exchange;
  }
}
