package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.rest.bulk.FastBulkParser;
import dev.weir.testkit.fixtures.TestExchange;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory of streaming bulks. */
class BulkStreamMemoryTest {
  /** The memory of up to 256 items until they are executed. */
  private static final long ITEMS_BYTES = 256 * FastBulkParser.ITEM_BYTES;

  @RegisterExtension final RestDispatcherFixture open = new RestDispatcherFixture();
  private final BulkClient client = new BulkClient(open);

  /** A pool with these limits for one request and for all requests. */
  private static final class Pool implements RequestMemory {
    private final Map<Category, Long> held = new EnumMap<>(Category.class);
    private final long most;
    private long others;
    private int refusals;

    Pool(long most) {
      this.most = most;
    }

    private long own() {
      return held.values().stream().mapToLong(bytes -> bytes).sum();
    }

    @Override
    public @Nullable MemoryRejection reserve(
        Category item, long bytes, Supplier<List<String>> growth) {
      MemoryRejection refused = tryReserve(item, bytes);
      refusals += refused == null ? 0 : 1;
      return refused;
    }

    @Override
    public @Nullable MemoryRejection tryReserve(Category item, long bytes) {
      long own = own() + bytes;
      if (own + others > most) {
        return new MemoryRejection(
            item, bytes, own + others, most, "the test", own > most, List.of(), List.of());
      }
      forceReserve(item, bytes);
      return null;
    }

    @Override
    public void forceReserve(Category item, long bytes) {
      held.merge(item, bytes, Long::sum);
    }

    @Override
    public void release(Category item, long bytes) {
      held.merge(item, -bytes, Long::sum);
      assertThat(held.get(item)).as("%s held", item).isNotNegative();
    }
  }

  private static void assertNothingHeld(
      TestExchange exchange, FakeSectionedBody sections, Pool memory) {
    exchange.readToEnd();
    assertThat(memory.own()).isZero();
    assertThat(sections.held()).isZero();
  }

  @Test
  void waitForEarlierItemsWithoutMemory() {
    Pool memory = new Pool(ITEMS_BYTES * 3 / 2);
    FakeSectionedBody sections =
        new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2"), BulkClient.docs("3"))
            .ended();
    TestExchange exchange = client.send("/_bulk", sections, memory);
    client.answer(exchange, 0);
    assertThat(client.sent()).containsExactly("1", "2");
    client.answer(exchange, 1);
    assertThat(client.sent()).containsExactly("1", "2", "3");
    client.answer(exchange, 2);
    assertThat(exchange.reply().status()).isEqualTo(200);
    assertThat(memory.refusals).isZero();
    assertNothingHeld(exchange, sections, memory);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, ITEMS_BYTES})
  void waitWhileOtherRequestsHoldTheMemory(long lacking) {
    Pool memory = new Pool(2 * ITEMS_BYTES);
    FakeSectionedBody sections =
        new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2"), BulkClient.docs("3"))
            .ended();
    TestExchange exchange = client.send("/_bulk", sections, memory);
    // For the items, or for their answers only.
    memory.others = ITEMS_BYTES - 256 + lacking;
    client.answer(exchange, 0);
    assertThat(sections.timePasses()).isTrue();
    assertThat(sections.timePasses()).isTrue();
    assertThat(client.sent()).containsExactly("1");
    assertThat(memory.held.get(RequestMemory.Category.PARSED_BODY)).as("of what waits").isZero();
    memory.others = 0;
    assertThat(sections.timePasses()).isTrue();
    assertThat(client.sent()).containsExactly("1", "2");
    client.answer(exchange, 1);
    client.answer(exchange, 2);
    assertThat(sections.timePasses()).isFalse();
    assertThat(exchange.reply().status()).isEqualTo(200);
    assertThat(memory.refusals).as("of a request that was not refused").isZero();
    assertNothingHeld(exchange, sections, memory);
  }

  @Test
  void endWhenOtherRequestsHoldTheMemoryTooLong() {
    Pool memory = new Pool(2 * ITEMS_BYTES);
    FakeSectionedBody sections =
        new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2")).ended();
    TestExchange exchange = client.send("/_bulk", sections, memory);
    memory.others = 2 * ITEMS_BYTES;
    client.answer(exchange, 0);
    long pauses = 0;
    while (sections.timePasses()) {
      pauses++;
    }
    assertThat(StreamingBulkSession.MEMORY_RETRY_INTERVAL.multipliedBy(pauses))
        .isEqualTo(StreamingBulkSession.MAX_MEMORY_WAIT);
    assertThat(exchange.reply().status()).isEqualTo(413);
    assertThat(exchange.text()).contains("\"executed_items\":\"1\"");
    assertThat(exchange.replyHeader("Retry-After")).isEmpty();
    assertThat(memory.refusals).isOne();
    memory.others = 0;
    assertNothingHeld(exchange, sections, memory);
  }

  @Test
  void runAtMostEightShortSections() {
    Pool memory = new Pool(100 * ITEMS_BYTES);
    String[] texts = new String[12];
    Arrays.setAll(texts, i -> BulkClient.docs("id" + i));
    FakeSectionedBody sections = new FakeSectionedBody(texts).ended();
    TestExchange exchange = client.send("/_bulk", sections, memory);
    client.answer(exchange, 0);
    assertThat(client.sent()).hasSize(1 + 8);
    client.answer(exchange, 3);
    assertThat(client.sent()).hasSize(1 + 9);
    for (int section = 1; section < 12; section++) {
      if (section != 3) {
        client.answer(exchange, section);
      }
    }
    assertThat(exchange.reply().status()).isEqualTo(200);
    assertNothingHeld(exchange, sections, memory);
  }

  @Test
  void stopWaitingForMemoryAfterADisconnect() {
    Pool memory = new Pool(2 * ITEMS_BYTES);
    FakeSectionedBody sections = new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2"));
    TestExchange exchange = client.send("/_bulk", sections, memory);
    memory.others = 2 * ITEMS_BYTES;
    client.answer(exchange, 0);
    exchange.disconnect();
    sections.reader().onDisconnect();
    assertThat(exchange.isDropped()).isTrue();
    memory.others = 0;
    assertThat(sections.timePasses()).isTrue();
    assertThat(client.sent()).containsExactly("1");
    assertThat(memory.own()).isZero();
    assertThat(sections.held()).isZero();
  }

  @Test
  void endWithoutMemoryForFurtherResponses() {
    String[] many = IntStream.range(0, 600).mapToObj(i -> "id" + i).toArray(String[]::new);
    Pool memory = new Pool(900_000);
    FakeSectionedBody sections =
        new FakeSectionedBody(
                BulkClient.docs("1"),
                BulkClient.docs(many),
                BulkClient.docs(many),
                BulkClient.docs(many),
                BulkClient.docs("2"))
            .ended();
    TestExchange exchange = client.send("/_bulk", sections, memory);
    for (int section = 0; section < 3; section++) {
      client.answer(exchange, section);
    }

    assertThat(sections.timePasses()).as("a retry does not help").isFalse();
    assertThat(exchange.reply().status()).isEqualTo(413);
    assertThat(exchange.text())
        .contains("\"executed_items\":\"1201\"", "would be", "larger than the limit of [900000/");
    assertThat(memory.refusals).isOne();
    assertNothingHeld(exchange, sections, memory);
  }

  @ParameterizedTest
  @ValueSource(longs = {ITEMS_BYTES - 1, ITEMS_BYTES})
  void rejectTheBulkWithoutMemoryForTheFirstSection(long left) {
    Pool memory = new Pool(2 * ITEMS_BYTES);
    memory.others = 2 * ITEMS_BYTES - left;
    FakeSectionedBody sections = new FakeSectionedBody(BulkClient.docs("1"), BulkClient.docs("2"));
    TestExchange exchange = client.send("/_bulk", sections, memory);

    assertThat(open.executor().wasCalled()).isFalse();
    assertThat(exchange.reply().status()).isEqualTo(429);
    assertThat(exchange.text()).contains("circuit_breaking_exception");
    assertThat(exchange.replyHeader("Retry-After")).containsExactly("1");
    assertThat(memory.refusals).isOne();
    assertNothingHeld(exchange, sections, memory);
  }
}
