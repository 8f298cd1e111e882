package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.PassThroughException;
import dev.weir.rest.RecordingExecutor.Call;
import dev.weir.testkit.fixtures.TestExchange;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.OpenSearchException;
import org.opensearch.action.search.ClearScrollResponse;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.common.ParsingException;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.core.xcontent.NamedObjectNotFoundException;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentLocation;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.rest.action.RestCancellableNodeClient;

/** How a request continues and ends. */
class RestExchangeTest {
  @RegisterExtension final RestDispatcherFixture open = new RestDispatcherFixture();

  /** OpenSearch counts the channels of the whole JVM, so other tests may leave some. */
  private final int channelsBefore = RestCancellableNodeClient.getNumChannels();

  private final List<String> ended = new ArrayList<>();

  private Call begin(TestExchange exchange) {
    open.again().send(exchange);
    Call call = open.executor().only();
    call.context().onCancel(() -> ended.add("cancelled: " + call.context().cancelReason()));
    call.context().onEnd(() -> ended.add("ended"));
    return call;
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(open.dispatcher().runningActions()).isZero();
    assertThat(RestCancellableNodeClient.getNumChannels()).isEqualTo(channelsBefore);
    assertThat(open.threadContext().threadContext().getHeaders()).isEmpty();
    assertThat(open.threadContext().threadContext().getResponseHeaders()).isEmpty();
  }

  @Test
  void endsWhenTheAnswersLastByteHasLeft() {
    TestExchange exchange = TestExchange.queued("GET", "/a/_search");
    Call call = begin(exchange);
    call.fail(new IndexNotFoundException("a"));
    assertThat(ended).isEmpty();

    exchange.readToEnd();

    assertThat(ended).containsExactly("ended");
  }

  @Test
  void markInternalRequestsInTheContext() {
    for (boolean inner : new boolean[] {false, true}) {
      TestExchange exchange = TestExchange.queued("GET", "/a/_search");
      Call call = begin(inner ? exchange.internal() : exchange);
      assertThat(call.context().isInternal()).isEqualTo(inner);
      assertThat(call.context().newSubContext().isInternal()).isEqualTo(inner);
      call.fail(new IndexNotFoundException("a"));
      exchange.readToEnd();
    }
  }

  @Test
  void endsOnItsHomeWhenAnotherThreadReleasesTheAnswer() throws InterruptedException {
    TestExchange exchange = TestExchange.queued("GET", "/a/_search");
    begin(exchange).fail(new IndexNotFoundException("a"));

    Thread other = new Thread(exchange.reply().onReleased());
    other.start();
    other.join();
    assertThat(ended).isEmpty();
    exchange.runEventLoop();

    assertThat(ended).containsExactly("ended");
  }

  @Test
  void cancelASearchOnDisconnect() {
    TestExchange exchange = TestExchange.queued("GET", "/a/_search");
    Call call = begin(exchange);

    exchange.disconnect();

    assertThat(ended).containsExactly("cancelled: channel closed", "ended");
    assertThat(exchange.isDropped()).isTrue();
    call.fail(new TaskCancelledException("late"));
    assertThat(exchange.isAnswered()).isFalse();
  }

  @Test
  void cancelASearchAfterAnEarlierDisconnect() {
    TestExchange exchange = TestExchange.queued("GET", "/a/_search");
    exchange.disconnect();

    Call call = begin(exchange);

    assertThat(call.context().cancelReason()).isEqualTo("channel closed");
    assertThat(ended).containsExactly("cancelled: channel closed", "ended");
  }

  @Test
  void carriesAWriteThroughWhenItsClientGoesAway() {
    TestExchange exchange = TestExchange.queued("PUT", "/a/_doc/1").json("{}");
    Call call = begin(exchange);

    exchange.disconnect();
    assertThat(ended).isEmpty();
    assertThat(exchange.isDropped()).isFalse();
    call.fail(new IndexNotFoundException("a"));
    exchange.runEventLoop();

    assertThat(ended).containsExactly("ended");
  }

  @Test
  void abandonAnUncancelledRequestOnDisconnect() {
    TestExchange exchange = TestExchange.queued("POST", "/a/_search/point_in_time?keep_alive=1h");
    Call call = begin(exchange);
    call.context().onAbandoned(() -> ended.add("unheard"));

    exchange.disconnect();
    assertThat(ended).isEmpty();
    call.fail(new IndexNotFoundException("a"));
    exchange.runEventLoop();

    assertThat(ended).containsExactly("unheard", "ended");
  }

  @Test
  void saysSoWhenTheClientLeavesInTheMiddleOfItsAnswer() {
    TestExchange exchange = TestExchange.queued("GET", "/a/_search");
    Call call = begin(exchange);
    call.context().onAbandoned(() -> ended.add("unheard"));
    call.fail(new IndexNotFoundException("a"));
    assertThat(ended).isEmpty();

    exchange.disconnect();
    exchange.readToEnd();

    assertThat(ended).containsExactly("unheard", "ended");
  }

  @Test
  void passThroughWhenAnActionThrowsTheSignal() {
    open.executor().throwing(new PassThroughException("search-pipeline"));

    TestExchange exchange = open.send(TestExchange.queued("GET", "/a/_search"));

    assertThat(exchange.passedThrough()).isEqualTo("search-pipeline");
  }

  @Test
  void passThroughWhenAnActionFailsWithTheSignal() {
    TestExchange exchange = TestExchange.queued("GET", "/a/_search");

    begin(exchange).fail(new RuntimeException(new PassThroughException("cross-cluster")));

    assertThat(exchange.passedThrough()).isEqualTo("cross-cluster");
    assertThat(ended).containsExactly("ended");
  }

  @Test
  void passesThroughNamesThatAreFoundUnknownLate() {
    TestExchange exchange = TestExchange.queued("GET", "/a/_search");

    begin(exchange)
        .fail(
            new ParsingException(
                new XContentLocation(1, 1),
                "unknown query [x]",
                new NamedObjectNotFoundException(
                    new XContentLocation(1, 1), "unknown", List.of("y"))));

    assertThat(exchange.passedThrough()).isEqualTo("unknown-name");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"query\":{\"neural\":{\"a\":{}}}}",
        "{\"query\":{\"bool\":{\"must\":[{\"knn\":{\"a\":{}}}]}}}",
        "{\"aggs\":{\"a\":{\"geohex_grid\":{\"field\":\"x\"}}}}",
        "{\"aggs\":{\"a\":{\"terms\":{\"field\":\"x\"},\"aggs\":{\"b\":{\"mine\":{}}}}}}",
        "{\"suggest\":{\"a\":{\"text\":\"x\",\"mine\":{\"field\":\"x\"}}}}",
        "{\"rescore\":{\"mine\":{}}}",
        "{\"ext\":{\"mine\":{}}}",
        "{\"sort\":[{\"_mine\":{\"reach\":1}}]}",
        "{\"query\":{\"function_score\":{\"functions\":[{\"mine\":{}}]}}}",
        "{\"aggs\":{\"a\":{\"significant_terms\":{\"field\":\"x\",\"mine\":{}}}}}"
      })
  void passesThroughNamesThatOnlyAPluginMayKnow(String body) {
    TestExchange exchange = open.send(TestExchange.queued("POST", "/a/_search").json(body));

    assertThat(exchange.passedThrough()).isEqualTo("unknown-name");
    assertThat(exchange.isAnswered()).isFalse();
  }

  @Test
  void answersADefectOnTheWayBack() {
    TestExchange exchange = TestExchange.queued("GET", "/a/_search");
    Call call = begin(exchange);

    call.context()
        .run(() -> {
          throw new IllegalStateException("broken");
        });

    assertThat(exchange.reply().status()).isEqualTo(500);
    assertThat(exchange.text()).contains("\"type\":\"illegal_state_exception\"", "broken");
    exchange.readToEnd();
    assertThat(ended).containsExactly("cancelled: failed by a defect", "ended");
  }

  @Test
  void stopsTheRestOfARequestThatFailedByADefectAndKeepsItsBody() {
    TestExchange exchange = TestExchange.queued("PUT", "/a/_doc/1").json("{}");
    Call call = begin(exchange);
    call.context().onCancel(() -> call.fail(new TaskCancelledException("stopped")));

    call.context()
        .run(() -> {
          throw new IllegalStateException("broken");
        });

    assertThat(ended).containsExactly("cancelled: failed by a defect");
    assertThat(exchange.isBodyRetained()).isTrue();
    assertThat(exchange.text()).contains("illegal_state_exception").doesNotContain("stopped");
    exchange.readToEnd();
  }

  @Test
  void answersADefectThatCanNotBeWritten() {
    TestExchange exchange = TestExchange.queued("GET", "/a/_search");

    begin(exchange)
        .context()
        .run(() -> {
          throw new OpenSearchException("broken") {
            private static final long serialVersionUID = 1L;

            @Override
            protected void metadataToXContent(XContentBuilder builder, Params params) {
              throw new NoClassDefFoundError("a class");
            }
          };
        });

    assertThat(exchange.reply().status()).isEqualTo(500);
    assertThat(exchange.text()).contains("the gateway can't write the failure");
    exchange.readToEnd();
  }

  @Test
  void answersADefectThatIsAnError() {
    TestExchange exchange = TestExchange.queued("GET", "/a/_search");

    begin(exchange)
        .context()
        .run(() -> {
          throw new NoClassDefFoundError("a class");
        });

    assertThat(exchange.reply().status()).isEqualTo(500);
    exchange.readToEnd();
  }

  @Test
  void keepsWhatItsTasksAddToTheContext() {
    ThreadContext context = open.threadContext().threadContext();
    TestExchange exchange =
        TestExchange.queued("DELETE", "/_search/scroll/a").header("X-Opaque-Id", "1");
    Call call = begin(exchange);

    call.context().run(() -> assertThat(context.getHeader("X-Opaque-Id")).isEqualTo("1"));
    call.context().run(() -> context.addResponseHeader("X-First", "2"));
    call.context().run(() -> {});
    call.context().run(() -> context.addResponseHeader("X-Second", "3"));
    assertThat(context.getResponseHeaders()).isEmpty();
    call.answer(new ClearScrollResponse(true, 1));

    assertThat(exchange.replyHeader("X-First")).containsExactly("2");
    assertThat(exchange.replyHeader("X-Second")).containsExactly("3");
    exchange.readToEnd();
  }

  @Test
  void startsWithNothingOfTheRequestThatIsBeingAnswered() {
    TestExchange first =
        TestExchange.queued("DELETE", "/_search/scroll/a").header("X-Opaque-Id", "1");
    TestExchange second = TestExchange.queued("DELETE", "/_search/scroll/b");
    Call call = begin(first);
    first.onRespond(() -> open.again().send(second));
    call.answer(new ClearScrollResponse(true, 1));

    assertThat(open.executor().only().context().transportHeaders())
        .doesNotContainKey("X-Opaque-Id");
    open.executor().only().answer(new ClearScrollResponse(true, 1));
    assertThat(second.replyHeader("X-Opaque-Id")).isEmpty();
    assertThat(first.replyHeader("X-Opaque-Id")).containsExactly("1");
    first.readToEnd();
    second.readToEnd();
  }
}
