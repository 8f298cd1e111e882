package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.RequestMemoryAccount;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.model.RequestMemory.Category;
import dev.weir.protocol.FrameBudget;
import dev.weir.protocol.RequestFrameBudget;
import dev.weir.testkit.fixtures.TestExchange;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.get.GetResponse;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.index.get.GetResult;

/** The accounting of the pages that responses are written to. */
class ResponsePageAccountingTest {
  private static final long LIMIT = 1 << 20;

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
      new RestDispatcher(RestDispatcherFixture.REGISTRIES, threadContext, executor);

  @AfterEach
  void nothingIsOwed() {
    threadContext.close();
    assertThat(answers.usedBytes()).isZero();
    assertThat(memory.usedBytes()).isZero();
  }

  private TestExchange exchange(String method, String uri) {
    return TestExchange.queued(method, uri).memory(memory.openAccount(method, uri, null));
  }

  private TestExchange answered(int sourceBytes) {
    TestExchange exchange = exchange("GET", "/a/_doc/1");
    dispatcher.handle(exchange);
    byte[] source =
        ("{\"k\":\"" + "x".repeat(sourceBytes) + "\"}").getBytes(StandardCharsets.UTF_8);
    executor
        .only()
        .answer(
            new GetResponse(
                new GetResult(
                    "a", "1", 3, 4, 2, true, new BytesArray(source), Map.of(), Map.of())));
    exchange.runEventLoop();
    return exchange;
  }

  @Test
  void paysUntilTheLastByteHasLeft() {
    TestExchange exchange = answered(500_000);

    assertThat(exchange.reply().status()).isEqualTo(200);
    assertThat(answers.usedBytes()).isGreaterThanOrEqualTo(500_000);
    exchange.readToEnd();
    assertThat(answers.usedBytes()).isZero();
  }

  @Test
  void rejectABulkWithoutMemoryForItsItemsWithBothParsers() {
    for (String item :
        List.of("{\"index\":{\"_index\":\"a\"}}\n{}\n", "{\"delete\":{\"_id\":\"1\"}}\n")) {
      TestExchange exchange = exchange("POST", "/a/_bulk").json(item.repeat(2_000));
      dispatcher.handle(exchange);
      exchange.runEventLoop();

      assertThat(exchange.reply().status()).isEqualTo(429);
      assertThat(exchange.text()).contains("circuit_breaking_exception", "PERMANENT");
      assertThat(exchange.replyHeader("Retry-After")).as("it would not help").isEmpty();
      exchange.readToEnd();
      assertThat(answers.usedBytes()).isZero();
    }
  }

  @Test
  void adviseRetryWhenOtherRequestsHoldTheMemory() {
    RequestMemoryAccount others = memory.openAccount("GET", "/", null);
    assertThat(others.reserve(Category.NODE_RESPONSES, LIMIT - 1)).isNull();
    TestExchange exchange = exchange("POST", "/a/_bulk").json("{\"delete\":{\"_id\":\"1\"}}\n");
    dispatcher.handle(exchange);
    exchange.runEventLoop();
    assertThat(exchange.reply().status()).isEqualTo(429);
    assertThat(exchange.text()).contains("TRANSIENT");
    assertThat(exchange.replyHeader("Retry-After")).containsExactly("1");
    exchange.readToEnd();
    others.release(Category.NODE_RESPONSES, LIMIT - 1);
  }

  @Test
  void alwaysReportTheOutcomeOfAWrite() {
    RequestMemoryAccount others = memory.openAccount("GET", "/", null);
    TestExchange exchange =
        exchange("POST", "/a/_bulk").json("{\"index\":{\"_id\":\"1\"}}\n{}\n".repeat(20));
    dispatcher.handle(exchange);
    long room = LIMIT - answers.usedBytes();
    assertThat(others.reserve(Category.NODE_RESPONSES, room)).isNull();
    RecordingExecutor.Call call = executor.only();

    FrameBudget frames =
        Objects.requireNonNull(RequestFrameBudget.of(call.context().resources().memory()));
    assertThat(frames.reserve(100_000)).as("it was paid for with the items").isNull();
    assertThat(frames.reserve(100_000)).as("that much was not").isNotNull();
    frames.release(100_000);
    BulkItemResponse[] items = new BulkItemResponse[200];
    Arrays.setAll(
        items,
        slot ->
            new BulkItemResponse(
                slot,
                DocWriteRequest.OpType.INDEX,
                new BulkItemResponse.Failure("a", "1", new Exception("x".repeat(2000)))));
    call.answer(new BulkResponse(items, 1));
    exchange.runEventLoop();

    assertThat(exchange.reply().status()).isEqualTo(200);
    assertThat(exchange.text()).hasSizeGreaterThan(400_000);
    assertThat(answers.usedBytes()).as("beyond what was paid ahead").isGreaterThan(LIMIT + 200_000);
    assertThat(others.reserve(Category.NODE_RESPONSES, 1))
        .as("others wait until it is paid back")
        .isNotNull();
    exchange.readToEnd();
    assertThat(answers.usedBytes()).isEqualTo(room);
    others.release(Category.NODE_RESPONSES, room);
  }

  @Test
  void chargesTheItemsOfABulkOnceHoweverItIsRead() {
    String one = "{\"index\":{\"_id\":\"1\"}}\n{}\n";
    TestExchange exchange =
        exchange("POST", "/a/_bulk").json(one.repeat(300) + "{ \"delete\" : {\"_id\":\"1\"}}\n");
    dispatcher.handle(exchange);
    assertThat(memory.usedBytes(Category.PARSED_BODY)).isEqualTo(2 * 256 * 800);
    executor.only().fail(new IllegalStateException("nothing is done"));
    exchange.runEventLoop();
    exchange.readToEnd();

    TestExchange deletes =
        exchange("POST", "/a/_bulk")
            .json("{\"delete\":{\"_id\":\"1\"}}\n".repeat(500) + one.repeat(100));
    executor.forget();
    dispatcher.handle(deletes);
    assertThat(memory.usedBytes(Category.PARSED_BODY)).isEqualTo(600 * 800);
    executor.only().fail(new IllegalStateException("nothing is done"));
    deletes.runEventLoop();
    deletes.readToEnd();
  }

  @Test
  void rejectAResponseWithoutMemoryLikeANode() {
    TestExchange exchange = answered(2_000_000);

    assertThat(exchange.reply().status()).isEqualTo(429);
    assertThat(exchange.text())
        .contains(
            "\"type\":\"circuit_breaking_exception\"",
            "Data too large, data for [answer to the client]",
            "this request holds answer to the client",
            "\"breakdown\":\"answer to the client");
    exchange.readToEnd();
  }
}
