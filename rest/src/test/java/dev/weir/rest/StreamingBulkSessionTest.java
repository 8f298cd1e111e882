package dev.weir.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.PassThroughException;
import dev.weir.rest.RecordingExecutor.Call;
import dev.weir.rest.bulk.BulkStreamingOptions;
import dev.weir.testkit.fixtures.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.support.WriteRequest.RefreshPolicy;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;

class StreamingBulkSessionTest {
  private static final String TOOK = "(?<!_)took\"? ?: ?\\d+";

  @RegisterExtension final RestDispatcherFixture open = new RestDispatcherFixture();
  private final BulkClient client = new BulkClient(open);

  private static String text(TestExchange exchange) {
    return exchange.text().replaceAll(TOOK, "took\":0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/_bulk",
        "/_bulk?pretty",
        "/_bulk?filter_path=items.*.error,took",
        "/_bulk?filter_path=-items.*._shards&pretty&human",
        "/_bulk?format=yaml",
        "/_bulk?error_trace=true&filter_path=errors"
      })
  void answersAsIfItHadComeAtOnce(String uri) {
    TestExchange whole =
        open.send(TestExchange.queued("POST", uri).json(BulkClient.docs("1", "x2", "3", "4")));
    client.answer(whole, 0);
    open.again();
    FakeSectionedBody sections =
        new FakeSectionedBody(
                BulkClient.docs("1", "x2"), BulkClient.docs("3"), BulkClient.docs("4"))
            .ended();
    TestExchange streamed = client.send(uri, sections);
    assertThat(client.sent()).as("the first goes alone").containsExactly("1 x2");
    assertThat(sections.isStarted()).isFalse();
    client.answer(streamed, 0);
    assertThat(client.sent()).containsExactly("1 x2", "3", "4");
    client.answer(streamed, 2);
    assertThat(streamed.isAnswered()).isFalse();
    client.answer(streamed, 1);

    assertThat(streamed.reply().status()).isEqualTo(200);
    assertThat(streamed.reply().contentType()).isEqualTo(whole.reply().contentType());
    assertThat(text(streamed).replaceAll("took: \\d+", "took: 0"))
        .isEqualTo(text(whole).replaceAll("took: \\d+", "took: 0"));
    assertThat(sections.held()).isZero();
    streamed.readToEnd();
    whole.readToEnd();
    assertThat(open.dispatcher().runningActions()).isZero();
  }

  @Test
  void applyTheParametersToEverySection() {
    FakeSectionedBody sections =
        new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2")).ended();
    TestExchange exchange =
        client.send("/_bulk?refresh=true&timeout=7s&wait_for_active_shards=2&routing=r", sections);
    client.answer(exchange, 0);

    for (Call call : open.executor().calls()) {
      BulkRequest bulk = (BulkRequest) call.request();
      assertThat(bulk.getRefreshPolicy()).isEqualTo(RefreshPolicy.IMMEDIATE);
      assertThat(bulk.timeout().seconds()).isEqualTo(7);
      assertThat(bulk.waitForActiveShards().toString()).isEqualTo("2");
      assertThat(bulk.requests().getFirst().routing()).isEqualTo("r");
    }
    assertThat(open.executor().calls()).hasSize(2);
  }

  @Test
  void keepTheOrderOfSectionsWithTheSameDocument() {
    FakeSectionedBody sections =
        new FakeSectionedBody(
                BulkClient.docs("1"),
                BulkClient.docs("2", "3"),
                BulkClient.docs("4", "2"),
                BulkClient.docs("5"))
            .ended();
    TestExchange exchange = client.send("/_bulk", sections);
    client.answer(exchange, 0);
    assertThat(client.sent()).containsExactly("1", "2 3");
    client.answer(exchange, 1);
    assertThat(client.sent()).containsExactly("1", "2 3", "4 2", "5");
  }

  @Test
  void rejectTheBulkWhenTheFirstSectionIsRejected() {
    FakeSectionedBody sections = new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2"));
    TestExchange exchange = client.send("/_bulk?routing=r", sections);
    assertThat(client.call(0).context().requestSummary()).isEqualTo("POST /_bulk?routing=r");
    assertThat(client.call(0).context().taskId()).isEqualTo(exchange.taskId());
    client.call(0).context().response().extendRetryAfter(7);
    client.call(0).fail(new OpenSearchRejectedExecutionException("no room"));
    exchange.runEventLoop();

    assertThat(exchange.reply().status()).isEqualTo(429);
    assertThat(exchange.replyHeader("Retry-After")).containsExactly("7");
    assertThat(sections.isStarted()).isFalse();
    assertThat(sections.part(0).isAbandoned()).isTrue();
  }

  @Test
  void passThroughAFirstSectionThatOnlyANodeCanExecute() {
    FakeSectionedBody sections = new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2"));
    TestExchange exchange = client.send("/_bulk", sections);
    client.call(0).fail(new PassThroughException("ingest-pipeline"));
    exchange.runEventLoop();

    assertThat(exchange.passedThrough()).isEqualTo("ingest-pipeline");
    assertThat(sections.held()).isZero();
  }

  @Test
  void reportALaterRejectedSectionItemByItem() {
    FakeSectionedBody sections =
        new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2", "3"), BulkClient.docs("4"))
            .ended();
    TestExchange exchange = client.send("/_bulk", sections);
    client.answer(exchange, 0);
    client.call(1).context().response().extendRetryAfter(3);
    client.call(1).fail(new OpenSearchRejectedExecutionException("no room"));
    exchange.runEventLoop();
    client.answer(exchange, 2);

    assertThat(exchange.reply().status()).isEqualTo(200);
    assertThat(exchange.replyHeader("Retry-After")).isEmpty();
    assertThat(exchange.text())
        .contains("\"errors\":true")
        .containsSubsequence(
            "\"_id\":\"1\"",
            "{\"index\":{\"_index\":\"a\",\"_id\":\"2\",\"status\":429,"
                + "\"error\":{\"type\":\"rejected_execution_exception\",\"reason\":\"no room\"}}}",
            "\"_id\":\"3\",\"status\":429",
            "\"_id\":\"4\",\"_version\":1");
  }

  @Test
  void forwardALaterSectionThatOnlyANodeCanExecute() {
    FakeSectionedBody sections =
        new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2")).ended();
    TestExchange exchange = client.send("/_bulk", sections);
    client.answer(exchange, 0);
    ((BulkRequest) client.call(1).request()).requests().getFirst().routing("changed");
    client.call(1).fail(new PassThroughException("ingest-pipeline"));
    exchange.runEventLoop();

    Call left = client.call(2);
    assertThat(left.action()).isEqualTo("indices:data/write/bulk[whole]");
    assertThat(((BulkRequest) left.request()).requests().getFirst().routing()).isNull();
    BulkItemResponse[] items = BulkClient.response((BulkRequest) left.request()).getItems();
    left.answer(new BulkResponse(items, 5, 4));
    exchange.runEventLoop();
    assertThat(text(exchange))
        .startsWith("{\"took\":0,\"ingest_took\":4,\"errors\":false,\"items\":[{");
    assertThat(sections.held()).isZero();
    assertThat(open.dispatcher().streamingBulkCounts().forwardedSections()).isOne();
  }

  @Test
  void rejectAMalformedLineInTheFirstSectionLikeANode() {
    String wrong = BulkClient.docs("1") + "{\"index\":[]}\n{}\n";
    TestExchange whole = open.send(TestExchange.queued("POST", "/_bulk").json(wrong));
    FakeSectionedBody sections = new FakeSectionedBody(wrong, BulkClient.docs("2"));
    TestExchange exchange = client.send("/_bulk", sections);

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text()).isEqualTo(whole.text());
    assertThat(open.executor().wasCalled()).isFalse();
    exchange.readToEnd();
    assertThat(sections.held()).isZero();
  }

  @Test
  void endAtALaterMalformedLineAndReportExecutedItems() {
    FakeSectionedBody sections =
        new FakeSectionedBody(
            BulkClient.docs("1", "x2"),
            BulkClient.docs("3"),
            BulkClient.docs("4") + "{\"index\":[]}\n{}\n",
            BulkClient.docs("5"));
    TestExchange exchange = client.send("/_bulk", sections);
    client.answer(exchange, 0);
    assertThat(client.sent()).containsExactly("1 x2", "3");
    assertThat(exchange.isAnswered()).as("while something is under way").isFalse();
    client.answer(exchange, 1);

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(text(exchange))
        .startsWith(
            "{\"error\":{\"root_cause\":[{\"type\":\"bulk_aborted_exception\",\"reason\":\"executed"
                + " the first [3] items of the bulk while it arrived, with the results in [items],"
                + " and none after them: Malformed action/metadata line [9], expected START_OBJECT"
                + " or END_OBJECT but found [START_ARRAY]\",\"executed_items\":\"3\"}]")
        .contains("\"caused_by\":{\"type\":\"illegal_argument_exception\",\"reason\":\"Malformed")
        .containsSubsequence(
            ",\"status\":400,\"took\":0,\"errors\":true,\"items\":[{\"index\"",
            "\"_id\":\"1\"",
            "\"_id\":\"x2\",\"status\":429",
            "\"_id\":\"3\"")
        .endsWith("\"status\":201}}]}");
    exchange.readToEnd();
    assertThat(sections.held()).isZero();
    assertThat(open.dispatcher().streamingBulkCounts().abortedBulks()).isOne();
  }

  @Test
  void skipTheLastSectionWithoutAFinalNewline() {
    FakeSectionedBody sections =
        new FakeSectionedBody(
                BulkClient.docs("1"), BulkClient.docs("2") + "{\"index\":{\"_index\":\"a\"}}\n{}")
            .ended();
    TestExchange exchange = client.send("/_bulk?pretty", sections);
    client.answer(exchange, 0);

    assertThat(client.sent()).containsExactly("1");
    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text())
        .contains(
            "\"executed_items\" : \"1\"",
            "The bulk request must be terminated by a newline [\\\\n]",
            "\"_id\" : \"1\"");
  }

  @Test
  void endAtALaterInvalidItem() {
    FakeSectionedBody sections =
        new FakeSectionedBody(BulkClient.docs("1"), "{\"delete\":{\"_index\":\"a\"}}\n");
    TestExchange exchange = client.send("/_bulk", sections);
    client.answer(exchange, 0);

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text())
        .contains("action_request_validation_exception", "\"executed_items\":\"1\"");
  }

  @Test
  void endAtAnOversizedItem() {
    FakeSectionedBody sections = new FakeSectionedBody(BulkClient.docs("1"));
    TestExchange exchange = client.send("/_bulk", sections);
    client.answer(exchange, 0);
    sections.reader().onInvalid(413, "got too much");
    exchange.runEventLoop();

    assertThat(exchange.reply().status()).isEqualTo(413);
    assertThat(exchange.text()).contains("none after them: got too much", "\"_id\":\"1\"");
  }

  @Test
  void sendNothingAfterADisconnect() {
    FakeSectionedBody sections = new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2"));
    TestExchange exchange = client.send("/_bulk", sections);
    client.answer(exchange, 0);
    sections.add(BulkClient.docs("2", "3"));
    assertThat(client.sent()).as("waits for the first two").containsExactly("1", "2");
    exchange.disconnect();
    sections.reader().onDisconnect();
    assertThat(exchange.isDropped()).as("while a section is under way").isFalse();
    client.answer(exchange, 1);

    assertThat(client.sent()).containsExactly("1", "2");
    assertThat(exchange.isDropped()).isTrue();
    assertThat(sections.held()).isZero();
    assertThat(open.dispatcher().runningActions()).isZero();
  }

  @Test
  void blankLinesAtTheEndAreNoSection() {
    FakeSectionedBody sections = new FakeSectionedBody(BulkClient.docs("1"), "\n\r\n \n").ended();
    TestExchange exchange = client.send("/_bulk", sections);
    client.answer(exchange, 0);

    assertThat(exchange.reply().status()).isEqualTo(200);
    assertThat(client.sent()).containsExactly("1");
    assertThat(sections.held()).isZero();
  }

  @Test
  void documentsAreSlicesOfTheirSection() {
    FakeSectionedBody sections =
        new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2")).ended();
    TestExchange exchange = client.send("/_bulk", sections);
    client.answer(exchange, 0);

    var document = (IndexRequest) ((BulkRequest) client.call(1).request()).requests().getFirst();
    assertThat(((BytesArray) document.source()).array()).isSameAs(sections.part(1).bytes().array());
    assertThat(document.source().utf8ToString()).isEqualTo("{\"k\":\"2\"}");
    assertThat(new String(sections.part(1).bytes().array(), UTF_8)).isEqualTo(BulkClient.docs("2"));
  }

  @Test
  void passThroughBulksWithAPipelineOrWaitForRefresh() {
    assertThat(BulkStreamingOptions.isSupported("/_bulk")).isTrue();
    assertThat(BulkStreamingOptions.isSupported("/a/_bulk?refresh=true&timeout=1m")).isTrue();
    assertThat(BulkStreamingOptions.isSupported("/a/_bulk?refresh=wait_for")).isFalse();
    assertThat(BulkStreamingOptions.isSupported("/a/_bulk?pretty&pipeline=p")).isFalse();
    assertThat(BulkStreamingOptions.isSupported("/a/_bulk?refresh=%zz")).isFalse();
  }
}
