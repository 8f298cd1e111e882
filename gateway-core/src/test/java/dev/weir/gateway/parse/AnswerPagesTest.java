package dev.weir.gateway.parse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.FrameBudget;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.action.get.GetResponse;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.index.get.GetResult;

/** Who pays for what answers are written into. */
class AnswerPagesTest {
  private static final long LIMIT = 1 << 20;

  private final AtomicLong held = new AtomicLong();
  private final FrameBudget budget =
      new FrameBudget() {
        @Override
        public @Nullable Exception reserve(long bytes) {
          if (held.addAndGet(bytes) <= LIMIT) {
            return null;
          }
          return FrameBudget.tooMuch(bytes, held.addAndGet(-bytes), LIMIT);
        }

        @Override
        public void release(long bytes) {
          held.addAndGet(-bytes);
        }
      };
  private final RestThreadContext threadContext =
      new RestThreadContext(OpenDoor.REGISTRIES.settings());
  private final RecordingExecutor executor = new RecordingExecutor();
  private final RestFrontDoor door =
      new RestFrontDoor(OpenDoor.REGISTRIES, threadContext, executor, null, budget);

  @AfterEach
  void nothingIsOwed() {
    threadContext.close();
    assertThat(held.get()).isZero();
  }

  private FakeExchange answered(int sourceBytes) {
    FakeExchange exchange = new FakeExchange("GET", "/a/_doc/1");
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
    assertThat(held.get()).isGreaterThanOrEqualTo(500_000);
    exchange.flushed();
    assertThat(held.get()).isZero();
  }

  @Test
  void refusesABulkOfMoreItemsThanThereIsRoomForBothWaysOfReadingIt() {
    for (String item :
        List.of("{\"index\":{\"_index\":\"a\"}}\n{}\n", "{\"delete\":{\"_id\":\"1\"}}\n")) {
      FakeExchange exchange = new FakeExchange("POST", "/a/_bulk").json(item.repeat(2_000));
      door.handle(exchange);
      exchange.runHome();

      assertThat(exchange.reply().status()).isEqualTo(429);
      assertThat(exchange.text()).contains("circuit_breaking_exception");
      exchange.flushed();
      assertThat(held.get()).isZero();
    }
  }

  @Test
  void refusesAnAnswerThatNobodyPaysForInANodesWords() {
    FakeExchange exchange = answered(2_000_000);

    assertThat(exchange.reply().status()).isEqualTo(429);
    assertThat(exchange.text())
        .contains("\"type\":\"circuit_breaking_exception\"", "Data too large");
    exchange.flushed();
  }
}
