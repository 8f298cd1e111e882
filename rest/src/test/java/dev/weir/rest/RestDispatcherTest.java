package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rest.RecordingExecutor.Call;
import dev.weir.testkit.fixtures.TestExchange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.core.common.bytes.BytesArray;

/** How requests are parsed and dispatched. */
class RestDispatcherTest {
  @RegisterExtension final RestDispatcherFixture open = new RestDispatcherFixture();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET    | /logs/_search                          |                | read/search",
        "POST   | /_msearch                              | {}{}           | read/msearch",
        "GET    | /_search/scroll/abc?scroll=1m          |                | read/scroll",
        "DELETE | /_search/scroll/abc                    |                | read/scroll/clear",
        "GET    | /logs/_count?q=a                       |                | read/search",
        "POST   | /logs/_search/point_in_time?keep_alive=1m |             |"
            + " read/point_in_time/create",
        "DELETE | /_search/point_in_time/_all            |                |"
            + " read/point_in_time/delete",
        "POST   | /_bulk | {\"delete\":{\"_index\":\"a\",\"_id\":\"1\"}}  | write/bulk",
        "PUT    | /logs/_doc/1                           | {}             | write/index",
        "POST   | /logs/_doc                             | {}             | write/index",
        "PUT    | /logs/_create/1                        | {}             | write/index",
        "GET    | /logs/_doc/1                           |                | read/get",
        "HEAD   | /logs/_doc/1                           |                | read/get",
        "GET    | /logs/_source/1                        |                | read/get",
        "HEAD   | /logs/_source/1                        |                | read/get",
        "POST   | /logs/_mget                            | {\"ids\":[1]}  | read/mget",
        "DELETE | /logs/_doc/1                           |                | write/delete",
        "POST   | /logs/_update/1                        | {\"doc\":{}}   | write/update"
      })
  void handsOver(String method, String uri, String body, String action) {
    TestExchange exchange = TestExchange.queued(method, uri);
    if (body != null) {
      exchange.json(body.replace("}{", "}\n{") + "\n");
    }

    open.send(exchange);

    assertThat(open.executor().only().action()).isEqualTo("indices:data/" + action);
    assertThat(exchange.isAnswered()).isFalse();
    assertThat(exchange.passedThrough()).isNull();
    assertThat(open.dispatcher().runningActions()).isOne();
  }

  @Test
  void parsesParametersAndBodyOfASearch() {
    open.send(
        TestExchange.queued("POST", "/logs-*,b/_search?size=3&routing=a&preference=_local")
            .json(
                "{\"query\":{\"term\":{\"k\":\"v\"}},\"size\":9,\"aggs\":{\"m\":{\"max\":{\"field\":\"f\"}}}}"));

    SearchRequest request = (SearchRequest) open.executor().only().request();
    assertThat(request.indices()).containsExactly("logs-*", "b");
    assertThat(request.routing()).isEqualTo("a");
    assertThat(request.preference()).isEqualTo("_local");
    assertThat(request.source().size()).isEqualTo(3);
    assertThat(request.source().query().getName()).isEqualTo("term");
    assertThat(request.source().aggregations().count()).isOne();
  }

  @Test
  void decodesPathSegments() {
    open.send(TestExchange.queued("GET", "/a%2Fb/_doc/x%2Fy%20z+q"));

    GetRequest request = (GetRequest) open.executor().only().request();
    assertThat(request.index()).isEqualTo("a/b");
    assertThat(request.id()).isEqualTo("x/y z+q");
  }

  @Test
  void documentsOfABulkAreSlicesOfTheBody() {
    byte[] text =
        "..{\"index\":{\"_index\":\"a\"}}\n{\"k\":1}\n..".getBytes(StandardCharsets.UTF_8);
    ByteBuffer body = ByteBuffer.wrap(text, 2, text.length - 4);

    open.send(
        TestExchange.queued("POST", "/_bulk")
            .header("Content-Type", "application/json")
            .body(body));

    BulkRequest bulk = (BulkRequest) open.executor().only().request();
    DocWriteRequest<?> document = bulk.requests().getFirst();
    assertThat(((BytesArray) ((IndexRequest) document).source()).array()).isSameAs(text);
    assertThat(((IndexRequest) document).source().utf8ToString()).isEqualTo("{\"k\":1}");
    assertThat(body.position()).isEqualTo(2);
  }

  @Test
  void readsABodyThatIsNotOnTheHeap() {
    ByteBuffer body = ByteBuffer.allocateDirect(64);
    body.put("{\"k\":\"direct\"}".getBytes(StandardCharsets.UTF_8)).flip();

    open.send(
        TestExchange.queued("PUT", "/a/_doc/1")
            .header("Content-Type", "application/json")
            .body(body));

    IndexRequest index = (IndexRequest) open.executor().only().request();
    assertThat(index.source().utf8ToString()).isEqualTo("{\"k\":\"direct\"}");
    assertThat(body.remaining()).isEqualTo(14);
  }

  @Test
  void sendsTheHeadersThatANodeCopies() {
    open.send(
        TestExchange.queued("GET", "/a/_doc/1")
            .header("x-opaque-id", "me")
            .header("X-Request-Id", "0123456789abcdef0123456789abcdef")
            .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            .header("X-Other", "no")
            .header("Authorization", "Basic eA=="));

    assertThat(open.executor().only().context().transportHeaders())
        .containsAllEntriesOf(
            Map.of(
                "X-Opaque-Id", "me",
                "X-Request-Id", "0123456789abcdef0123456789abcdef",
                "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        .doesNotContainKeys("X-Other", "Authorization");
  }

  @Test
  void rejectHeadersThatMarkAnAuthenticatedUser() {
    ExchangeHttpRequest request =
        new ExchangeHttpRequest(
            TestExchange.queued("GET", "/")
                .header("_opendistro_security_user_header", "admin")
                .header("_OpenDistro_x", "admin")
                .header("opendistro_security_x", "admin")
                .header("_opensearch_security_x", "admin")
                .header("X-Fine", "yes"));

    assertThat(request.getHeaders()).containsOnlyKeys("X-Fine");
  }

  @Test
  void assignAnIdToEachRequest() {
    TestExchange first = open.send(TestExchange.queued("GET", "/a/_doc/1"));
    TestExchange second = open.send(TestExchange.queued("GET", "/a/_doc/1"));

    assertThat(open.executor().calls())
        .extracting(Call::context)
        .extracting(context -> context.taskId())
        .doesNotHaveDuplicates()
        .containsExactly(first.taskId(), second.taskId());
  }

  @Test
  void refusesAnInvalidRequestBeforeItIsCarriedOut() {
    TestExchange exchange = open.send(TestExchange.queued("POST", "/a/_update/1"));

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text()).contains("script or doc is missing");
    assertThat(open.executor().wasCalled()).isFalse();
  }
}
