package dev.weir.gateway.parse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.config.policy.ByteSize;
import dev.weir.config.policy.RequestMemoryPolicy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.action.get.GetResponse;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.index.get.GetResult;

/** Who pays for what answers are written into. */
class AnswerPagesTest {
  private static final long LIMIT = 1 << 20;

  private final MemoryLedger answers = new MemoryLedger(LIMIT);
  private final GatewayMemory memory =
      new GatewayMemory(
          new RequestMemoryPolicy(true, new ByteSize(10 * LIMIT), new ByteSize(LIMIT), 1),
          new GatewayMemory.Pools(new MemoryLedger(LIMIT), answers, new MemoryLedger(LIMIT)),
          () -> 0);
  private final RestThreadContext threadContext =
      new RestThreadContext(OpenDoor.REGISTRIES.settings());
  private final RecordingExecutor executor = new RecordingExecutor();
  private final RestFrontDoor door =
      new RestFrontDoor(OpenDoor.REGISTRIES, threadContext, executor);

  @AfterEach
  void nothingIsOwed() {
    threadContext.close();
    assertThat(answers.held()).isZero();
    assertThat(memory.held()).isZero();
  }

  private FakeExchange exchange(String method, String uri) {
    return new FakeExchange(method, uri).paidBy(memory.open(method, uri, null));
  }

  private FakeExchange answered(int sourceBytes) {
    FakeExchange exchange = exchange("GET", "/a/_doc/1");
    door.handle(exchange);
    byte[] source =
        ("{\"k\":\"" + "x".repeat(sourceBytes) + "\"}").getBytes(StandardCharsets.UTF_8);
    executor
        .only()
        .answer(
            new GetResponse(
                new GetResult(
                    "a", "1", 3, 4, 2, true, new BytesArray(source), Map.of(), Map.of())));
    exchange.runHome();
    return exchange;
  }

  @Test
  void paysUntilTheLastByteHasLeft() {
    FakeExchange exchange = answered(500_000);

    assertThat(exchange.reply().status()).isEqualTo(200);
    assertThat(answers.held()).isGreaterThanOrEqualTo(500_000);
    exchange.flushed();
    assertThat(answers.held()).isZero();
  }

  @Test
  void refusesABulkOfMoreItemsThanThereIsRoomForBothWaysOfReadingIt() {
    for (String item :
        List.of("{\"index\":{\"_index\":\"a\"}}\n{}\n", "{\"delete\":{\"_id\":\"1\"}}\n")) {
      FakeExchange exchange = exchange("POST", "/a/_bulk").json(item.repeat(2_000));
      door.handle(exchange);
      exchange.runHome();

      assertThat(exchange.reply().status()).isEqualTo(429);
      assertThat(exchange.text()).contains("circuit_breaking_exception");
      exchange.flushed();
      assertThat(answers.held()).isZero();
    }
  }

  @Test
  void refusesAnAnswerThatNobodyPaysForInANodesWords() {
    FakeExchange exchange = answered(2_000_000);

    assertThat(exchange.reply().status()).isEqualTo(429);
    assertThat(exchange.text())
        .contains(
            "\"type\":\"circuit_breaking_exception\"",
            "Data too large, data for [answer to the client]",
            "this request holds answer to the client",
            "\"bill\":\"answer to the client");
    exchange.flushed();
  }
}
