package dev.weir.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.MemoryLimitScope;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.NodeCeilingPolicy;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.DeadlineResolver;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import dev.weir.testkit.fixtures.TestExchange;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.search.DeletePitRequest;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.update.UpdateRequest;
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
              Duration.ofSeconds(10),
              false,
              NodeCeilingPolicy.NONE),
          new GatewayMemory.Pools(new MemoryPool(MB), responses, new MemoryPool(MB)),
          () -> 0);
  private final RestThreadContext threadContext =
      new RestThreadContext(RestDispatcherFixture.REGISTRIES.settings());
  private final RecordingExecutor executor = new RecordingExecutor();
  private final Queue<Runnable> longTasks = new ArrayDeque<>();
  private final List<Runnable> timeouts = new ArrayList<>();
  private final List<TestExchange> sent = new ArrayList<>();
  private final Set<Long> turns = new HashSet<>();
  private boolean turnsAreFull;
  private boolean turnsAreTaken;
  private Runnable onHeapCheck = () -> {};
  private boolean full;
  private long nodeHeapBytes = Long.MAX_VALUE;
  private int openRequests;
  private final RestDispatcher dispatcher =
      new RestDispatcher(
          RestDispatcherFixture.REGISTRIES,
          threadContext,
          executor,
          new RestDispatcher.RestExtensions(
              null,
              SearchResponseFormats.NODE_FORMAT_ONLY,
              ExportHandler.NONE,
              () -> {
                onHeapCheck.run();
                return RestDispatcherFixture.nodesWithHeap(nodeHeapBytes);
              },
              () -> false),
          new RequestServices(
              DeadlineResolver.NONE, new AtomicLong()::incrementAndGet, new QueuedRequests()));

  /** Runs tasks and timers when the test says so. */
  private final class QueuedRequests implements LongRequestPool {
    @Override
    public RequestExecutor open(int bodyBytes) {
      if (full) {
        throw new RejectedExecutionException("full");
      }
      openRequests++;
      return new RequestExecutor() {
        @Override
        public void execute(Runnable task) {
          longTasks.add(task);
        }

        @Override
        public void close() {
          openRequests--;
        }
      };
    }

    @Override
    public Runnable schedule(Duration delay, Executor runner, Runnable action) {
      Runnable timeout = () -> runner.execute(action);
      timeouts.add(timeout);
      return () -> timeouts.remove(timeout);
    }

    @Override
    public void awaitPassThrough(long number, String client, Runnable pass, Runnable reject) {
      turns.add(number);
      if (!turnsAreTaken) {
        (turnsAreFull ? reject : pass).run();
      }
    }

    @Override
    public void leavePassThrough(long number) {
      turns.remove(number);
    }
  }

  @AfterEach
  void releaseAll() {
    sent.forEach(TestExchange::runEventLoop);
    sent.forEach(TestExchange::readToEnd);
    runLongTasks();
    sent.forEach(TestExchange::disconnect);
    runLongTasks();
    threadContext.close();
    assertThat(memory.usedBytes()).isZero();
    assertThat(memory.waitingRequests()).isZero();
    assertThat(openRequests).isZero();
    assertThat(timeouts).isEmpty();
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

  /** Runs the tasks of long requests, and the event loops, until none is left. */
  private void runLongTasks() {
    while (!longTasks.isEmpty()) {
      longTasks.remove().run();
      sent.forEach(TestExchange::runEventLoop);
    }
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
  void passNothingThroughThatWouldEndANodesProcess() {
    String tooMuch = ids(20_000);

    nodeHeapBytes = 1000 * MB;
    TestExchange large = send("/a/_mget", tooMuch);
    runLongTasks();
    assertThat(large.passedThrough()).isEqualTo(PassThroughReasons.COSTLY_BODY);

    nodeHeapBytes = 10 * MB;
    TestExchange small = send("/a/_mget", tooMuch);
    runLongTasks();
    assertThat(small.passedThrough()).isNull();
    assertThat(small.reply().status()).isEqualTo(429);
    assertThat(small.text())
        .contains("circuit_breaking_exception", "40 % of the smallest heap of a node");
  }

  @Test
  void takeNothingForShortBodies() {
    send("/a/_search", terms(10));
    assertThat(executor.wasCalled()).isTrue();
    assertThat(parsedBytes()).isZero();
  }

  @Test
  void runLongReadsOffTheEventLoop() {
    TestExchange exchange = send("/a/_search", "  ".repeat(100_000) + terms(5000));
    assertThat(executor.wasCalled()).isFalse();
    assertThat(parsedBytes()).as("while it waits it holds its bytes alone").isZero();

    longTasks.remove().run();
    SearchRequest search = (SearchRequest) executor.only().request();
    assertThat(((TermsQueryBuilder) search.source().query()).values()).hasSize(5000);
    assertThat(parsedBytes()).isPositive();
    boolean[] ran = {false};
    executor.only().context().runLater(() -> ran[0] = true);
    exchange.runEventLoop();
    assertThat(ran[0]).as("its tasks follow it").isFalse();
    longTasks.remove().run();
    assertThat(ran[0]).isTrue();
  }

  @Test
  void respondToLongReadsOnTheEventLoop() {
    TestExchange exchange = send("/a/_search", "  ".repeat(100_000) + terms(10));
    longTasks.remove().run();
    executor.only().fail(new IllegalArgumentException("no such field"));
    assertThat(exchange.isAnswered()).isFalse();
    exchange.runEventLoop();
    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(parsedBytes()).as("until the client has read the response").isPositive();
    exchange.readToEnd();
    runLongTasks();
    assertThat(parsedBytes()).isZero();
  }

  @Test
  void runReadsOfManyItemsOffTheEventLoop() {
    send("/a/_mget", ids(1000));
    assertThat(executor.wasCalled()).isFalse();
    longTasks.remove().run();
    assertThat(((MultiGetRequest) executor.only().request()).getItems()).hasSize(1000);
    executor.only().fail(new IllegalStateException("ends the request"));
  }

  /** Their ids are decoded and collected there, too. */
  @Test
  void deletePointsInTimeOfLongIdsOffTheEventLoop() {
    TestExchange exchange =
        TestExchange.queued("DELETE", "/_search/point_in_time")
            .memory(memory.openAccount("DELETE", "/_search/point_in_time", null))
            .body(
                "application/json",
                ("{\"pit_id\":\"" + "x".repeat(200_000) + "\"}").getBytes(UTF_8));
    sent.add(exchange);
    dispatcher.handle(exchange);
    exchange.runEventLoop();
    assertThat(executor.wasCalled()).isFalse();
    longTasks.remove().run();
    assertThat(executor.only().request()).isInstanceOf(DeletePitRequest.class);
    executor.only().fail(new IllegalStateException("ends the request"));
  }

  @Test
  void parseLongWritesOffTheEventLoop() {
    TestExchange exchange =
        send("/a/_update/1", "{\"doc\":{\"f\":\"" + "x".repeat(200_000) + "\"}}");
    longTasks.remove().run();
    assertThat(executor.wasCalled()).as("it is carried out on the event loop").isFalse();
    exchange.runEventLoop();
    assertThat(executor.only().request()).isInstanceOf(UpdateRequest.class);
    executor.only().fail(new IllegalStateException("ends the request"));
    exchange.runEventLoop();
    assertThat(exchange.isAnswered()).isTrue();
    assertThat(longTasks).isEmpty();
  }

  @Test
  void endWhenTheClientLeavesBeforeALongReadStarts() {
    TestExchange exchange = send("/a/_search", "  ".repeat(100_000) + terms(5000));
    exchange.disconnect();
    runLongTasks();
    assertThat(exchange.isDropped()).isTrue();
    assertThat(executor.wasCalled()).isFalse();
  }

  @Test
  void cancelALongReadWhenItsClientLeaves() {
    TestExchange exchange = send("/a/_search", "  ".repeat(100_000) + terms(5000));
    longTasks.remove().run();
    exchange.disconnect();
    assertThat(executor.only().context().cancelReason()).isNull();
    runLongTasks();
    assertThat(executor.only().context().cancelReason()).isNotNull();
    assertThat(exchange.isDropped()).isTrue();
  }

  @Test
  void answerErrorsOfLongBodiesLikeThoseOfShortOnes() {
    String wrong = "{\"query\":{\"terms\":{\"f\":[1],\"g\":[1]}}}";
    TestExchange expected = send("/a/_search", wrong);
    TestExchange exchange = send("/a/_search", " ".repeat(200_000) + wrong);
    runLongTasks();

    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text().replaceAll("\\[?1[:,]\\d+\\]?|\"col\":\\d+", ""))
        .isEqualTo(expected.text().replaceAll("\\[?1[:,]\\d+\\]?|\"col\":\\d+", ""));
    assertThat(executor.wasCalled()).isFalse();
  }

  @Test
  void answerUnknownParametersOfLongBodies() {
    TestExchange exchange = send("/a/_search?sizes=1", " ".repeat(200_000) + terms(10));
    runLongTasks();
    assertThat(exchange.reply().status()).isEqualTo(400);
    assertThat(exchange.text()).contains("unrecognized parameter: [sizes]");
  }

  @Test
  void passUnknownQueriesOfLongBodiesThrough() {
    TestExchange exchange =
        send("/a/_search", " ".repeat(200_000) + "{\"query\":{\"of_a_plugin\":{}}}");
    runLongTasks();
    assertThat(exchange.passedThrough()).isEqualTo(PassThroughReasons.UNKNOWN_NAME);
  }

  @Test
  void passThroughBeforeParsingWhatIsTooLarge() {
    TestExchange search = send("/a/_search", terms(60_000));
    runLongTasks();
    assertThat(search.passedThrough()).isEqualTo(PassThroughReasons.COSTLY_BODY);
    assertThat(executor.wasCalled()).isFalse();
  }

  @Test
  void passThroughWithTooManyItems() {
    TestExchange documents = send("/a/_mget", ids(1001));
    TestExchange searches = send("/_msearch", "{}\n{}\n".repeat(1001));
    runLongTasks();
    assertThat(documents.passedThrough()).isEqualTo(PassThroughReasons.COSTLY_BODY);
    assertThat(searches.passedThrough()).isEqualTo(PassThroughReasons.COSTLY_BODY);
    assertThat(executor.wasCalled()).isFalse();
  }

  @Test
  void rejectWhatIsTooLargeAndNoNodeCanAnswer() {
    TestExchange export = send("/a/_weir/export", terms(60_000));
    runLongTasks();
    assertThat(export.reply().status()).isEqualTo(429);
    assertThat(export.text())
        .contains("circuit_breaking_exception", "max-parsed-bytes", "4194304/4mb", "PERMANENT");
  }

  @Test
  void waitForMemoryOfOtherRequests() {
    RequestMemory other = memory.openAccount("GET", "/", null);
    other.forceReserve(Category.NODE_RESPONSES, 8 * MB);
    TestExchange shorter = send("/a/_search", terms(1000));
    TestExchange longer = send("/a/_search", terms(5000));
    runLongTasks();
    assertThat(executor.wasCalled()).isFalse();
    assertThat(memory.waitingRequests()).isEqualTo(2);
    assertThat(memory.rejections(MemoryLimitScope.POOL)).isZero();

    other.release(Category.NODE_RESPONSES, 8 * MB);
    shorter.runEventLoop();
    assertThat(executor.only().request()).isInstanceOf(SearchRequest.class);
    executor.forget();
    longer.runEventLoop();
    runLongTasks();
    assertThat(executor.only().request()).isInstanceOf(SearchRequest.class);
    assertThat(timeouts).isEmpty();
  }

  @Test
  void waitForMemoryToParseLongWrites() {
    RequestMemory other = memory.openAccount("GET", "/", null);
    other.forceReserve(Category.NODE_RESPONSES, 8 * MB);
    TestExchange waiting =
        send("/a/_update/1", "{\"doc\":{\"f\":\"" + "x".repeat(200_000) + "\"}}");
    runLongTasks();
    other.release(Category.NODE_RESPONSES, 8 * MB);
    waiting.runEventLoop();
    assertThat(executor.wasCalled()).isFalse();
    runLongTasks();
    assertThat(executor.only().request()).isInstanceOf(UpdateRequest.class);
    executor.only().fail(new IllegalStateException("ends the request"));
  }

  @Test
  void passThroughAfterTheWait() {
    RequestMemory other = memory.openAccount("GET", "/", null);
    other.forceReserve(Category.NODE_RESPONSES, 8 * MB);
    TestExchange waiting = send("/a/_search", terms(1000));
    timeouts.removeFirst().run();
    waiting.runEventLoop();
    assertThat(waiting.passedThrough()).isEqualTo(PassThroughReasons.COSTLY_BODY);
    assertThat(memory.waitingRequests()).isZero();
    other.release(Category.NODE_RESPONSES, 8 * MB);
  }

  @Test
  void endWhenTheClientLeavesWhileItWaits() {
    RequestMemory other = memory.openAccount("GET", "/", null);
    other.forceReserve(Category.NODE_RESPONSES, 8 * MB);
    TestExchange waiting = send("/a/_search", terms(1000));
    waiting.disconnect();
    assertThat(waiting.isDropped()).isTrue();
    other.release(Category.NODE_RESPONSES, 8 * MB);
    waiting.runEventLoop();
    assertThat(executor.wasCalled()).isFalse();
  }

  @Test
  void rejectWhatWaitsForItsTurnForTooLong() {
    turnsAreFull = true;
    TestExchange search = send("/a/_search", terms(60_000));
    runLongTasks();
    search.runEventLoop();
    assertThat(search.reply().status()).isEqualTo(429);
    assertThat(search.passedThrough()).isNull();
  }

  @Test
  void takeNoTurnForAClientThatHasLeft() {
    onHeapCheck = () -> sent.getLast().disconnect();
    TestExchange search = send("/a/_search", terms(60_000));
    runLongTasks();
    assertThat(search.isDropped()).isTrue();
    assertThat(turns).isEmpty();
  }

  @Test
  void leaveTheTurnsWhenTheClientLeaves() {
    turnsAreTaken = true;
    TestExchange search = send("/a/_search", terms(60_000));
    runLongTasks();
    assertThat(turns).hasSize(1);
    search.disconnect();
    runLongTasks();
    assertThat(search.isDropped()).isTrue();
    assertThat(turns).isEmpty();
  }

  @Test
  void passThroughWhenTooManyLongRequestsRun() {
    full = true;
    assertThat(send("/a/_search", " ".repeat(200_000) + terms(10)).passedThrough())
        .isEqualTo(PassThroughReasons.COSTLY_BODY);
  }
}
