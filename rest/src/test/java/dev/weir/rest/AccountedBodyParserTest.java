package dev.weir.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.MemoryLimitScope;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.DeadlineResolver;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import dev.weir.testkit.fixtures.TestExchange;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.index.query.TermsQueryBuilder;

/** Bodies are paid for before they are parsed, and long ones leave the event loop. */
class AccountedBodyParserTest {
  private static final long MB = 1 << 20;

  private final MemoryPool responses = new MemoryPool(8 * MB);
  private final GatewayMemory memory =
      new GatewayMemory(
          new RequestMemoryPolicy(
              true,
              new ByteSize(100 * MB),
              new ByteSize(MB),
              0.8,
              new ByteSize(4 * MB),
              1000,
              Duration.ZERO,
              false),
          new GatewayMemory.Pools(new MemoryPool(MB), responses, new MemoryPool(MB)),
          () -> 0);
  private final RestThreadContext threadContext =
      new RestThreadContext(RestDispatcherFixture.REGISTRIES.settings());
  private final RecordingExecutor executor = new RecordingExecutor();
  private final Queue<Runnable> parses = new ArrayDeque<>();
  private final Queue<Runnable> attempts = new ArrayDeque<>();
  private final List<TestExchange> sent = new ArrayList<>();
  private boolean full;
  private final RestDispatcher dispatcher =
      new RestDispatcher(
          RestDispatcherFixture.REGISTRIES,
          threadContext,
          executor,
          RestDispatcher.RestExtensions.NONE,
          new RequestServices(DeadlineResolver.NONE, () -> 1, new QueuedParsing()));

  /** Parses and repeats when the test says so. */
  private final class QueuedParsing implements BodyParsingExecutor {
    @Override
    public void execute(int bodyBytes, Runnable parse) {
      if (full) {
        throw new RejectedExecutionException("full");
      }
      parses.add(parse);
    }

    @Override
    public void executeLater(Executor eventLoop, Runnable attempt) {
      attempts.add(() -> eventLoop.execute(attempt));
    }
  }

  @AfterEach
  void releaseAll() {
    sent.forEach(TestExchange::readToEnd);
    sent.forEach(TestExchange::disconnect);
    threadContext.close();
    assertThat(memory.usedBytes()).isZero();
  }

  private TestExchange send(String uri, String body) {
    TestExchange exchange =
        TestExchange.queued("POST", uri)
            .memory(memory.openAccount("POST", uri, null))
            .body("application/json", body.getBytes(UTF_8));
    sent.add(exchange);
    dispatcher.handle(exchange);
    exchange.runEventLoop();
    return exchange;
  }

  /** A body of about four bytes for each value. */
  private static String terms(int values) {
    return "{\"query\":{\"terms\":{\"f\":[" + "100,".repeat(values - 1) + "100]}}}";
  }

  private static String ids(int items) {
    return "{\"ids\":[" + "\"1\",".repeat(items - 1) + "\"1\"]}";
  }

  private long parsedBytes() {
    return memory.usedBytes(Category.PARSED_BODY);
  }

  @Test
  void accountForTheParsedBodyUntilTheEnd() {
    TestExchange exchange = send("/a/_search", terms(1000));

    assertThat(executor.only().request()).isInstanceOf(SearchRequest.class);
    assertThat(parsedBytes()).isGreaterThan(128 * 1000);
    exchange.disconnect();
    assertThat(parsedBytes()).isZero();
  }

  @Test
  void takeNothingForShortBodies() {
    send("/a/_search", terms(10));
    assertThat(executor.wasCalled()).isTrue();
    assertThat(parsedBytes()).isZero();
  }

  @Test
  void parseLongBodiesOffTheEventLoop() {
    TestExchange exchange = send("/a/_search", "  ".repeat(100_000) + terms(5000));
    assertThat(executor.wasCalled()).isFalse();
    assertThat(parsedBytes()).as("while it waits it holds its bytes alone").isZero();

    parses.remove().run();
    assertThat(executor.wasCalled()).as("it is carried out on the event loop").isFalse();
    exchange.runEventLoop();

    SearchRequest search = (SearchRequest) executor.only().request();
    assertThat(((TermsQueryBuilder) search.source().query()).values()).hasSize(5000);
    assertThat(parsedBytes()).isPositive();
  }

  @Test
  void answerErrorsOfLongBodiesLikeThoseOfShortOnes() {
    String wrong = "{\"query\":{\"terms\":{\"f\":[1],\"g\":[1]}}}";
    TestExchange expected = send("/a/_search", wrong);
    TestExchange exchange = send("/a/_search", " ".repeat(200_000) + wrong);
    parses.remove().run();
    exchange.runEventLoop();

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text().replaceAll("\\[?1[:,]\\d+\\]?|\"col\":\\d+", ""))
        .isEqualTo(expected.text().replaceAll("\\[?1[:,]\\d+\\]?|\"col\":\\d+", ""));
    assertThat(executor.wasCalled()).isFalse();
  }

  @Test
  void answerUnknownParametersOfLongBodies() {
    TestExchange exchange = send("/a/_search?sizes=1", " ".repeat(200_000) + terms(10));
    parses.remove().run();
    exchange.runEventLoop();
    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text()).contains("unrecognized parameter: [sizes]");
  }

  @Test
  void passUnknownQueriesOfLongBodiesThrough() {
    TestExchange exchange =
        send("/a/_search", " ".repeat(200_000) + "{\"query\":{\"of_a_plugin\":{}}}");
    parses.remove().run();
    exchange.runEventLoop();
    assertThat(exchange.passedThrough()).isEqualTo(PassThroughReasons.UNKNOWN_NAME);
  }

  @Test
  void passThroughBeforeParsingWhatIsTooLarge() {
    TestExchange search = send("/a/_search", terms(60_000));
    parses.remove().run();
    search.runEventLoop();
    assertThat(search.passedThrough()).isEqualTo(PassThroughReasons.COSTLY_BODY);
    assertThat(executor.wasCalled()).isFalse();
  }

  @Test
  void passThroughWithTooManyItems() {
    assertThat(send("/a/_mget", ids(1001)).passedThrough())
        .isEqualTo(PassThroughReasons.COSTLY_BODY);
    assertThat(send("/_msearch", "{}\n{}\n".repeat(1001)).passedThrough())
        .isEqualTo(PassThroughReasons.COSTLY_BODY);
    assertThat(executor.wasCalled()).isFalse();

    send("/a/_mget", ids(1000));
    assertThat(((MultiGetRequest) executor.only().request()).getItems()).hasSize(1000);
    executor.only().fail(new IllegalStateException("ends the request"));
  }

  @Test
  void rejectWhatIsTooLargeAndNoNodeCanAnswer() {
    TestExchange export = send("/a/_weir/export", terms(60_000));
    parses.remove().run();
    export.runEventLoop();
    assertThat(export.reply().status()).isEqualTo(429);
    assertThat(export.text())
        .contains("circuit_breaking_exception", "max-parsed-bytes", "4194304/4mb", "PERMANENT");
  }

  @Test
  void waitForMemoryOfOtherRequests() {
    RequestMemory other = memory.openAccount("GET", "/", null);
    other.forceReserve(Category.NODE_RESPONSES, 8 * MB);
    TestExchange waiting = send("/a/_search", terms(5000));
    attempts.remove().run();
    waiting.runEventLoop();
    assertThat(executor.wasCalled()).isFalse();
    assertThat(memory.rejections(MemoryLimitScope.POOL)).isZero();

    other.release(Category.NODE_RESPONSES, 8 * MB);
    attempts.remove().run();
    waiting.runEventLoop();
    assertThat(executor.only().request()).isInstanceOf(SearchRequest.class);
    assertThat(attempts).isEmpty();
  }

  @Test
  void endWhenTheClientLeavesWhileItWaits() {
    RequestMemory other = memory.openAccount("GET", "/", null);
    other.forceReserve(Category.NODE_RESPONSES, 8 * MB);
    TestExchange waiting = send("/a/_search", terms(5000));
    waiting.disconnect();
    attempts.remove().run();
    waiting.runEventLoop();
    other.release(Category.NODE_RESPONSES, 8 * MB);
    assertThat(waiting.isDropped()).isTrue();
    assertThat(executor.wasCalled()).isFalse();
  }

  @Test
  void passThroughWhenTooManyBodiesWait() {
    full = true;
    assertThat(send("/a/_search", " ".repeat(200_000) + terms(10)).passedThrough())
        .isEqualTo(PassThroughReasons.COSTLY_BODY);
  }
}
