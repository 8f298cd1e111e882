package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WriteMemoryAccountTest {
  /** A limit that only fits the items. */
  private static final class ItemsOnly implements RequestMemory {
    private long held;

    @Override
    public @Nullable MemoryRejection reserve(
        Category item, long bytes, Supplier<List<String>> growth) {
      if (item != Category.PARSED_BODY) {
        return new MemoryRejection(
            item, bytes, bytes, 0, "the test", false, List.of(), growth.get());
      }
      held += bytes;
      return null;
    }

    @Override
    public void forceReserve(Category item, long bytes) {
      held += bytes;
    }

    @Override
    public void release(Category item, long bytes) {
      held -= bytes;
    }
  }

  private final ItemsOnly all = new ItemsOnly();
  private final WriteMemoryAccount memory = new WriteMemoryAccount(all);

  @Test
  void estimateResponsesAsHalfOfTheItems() {
    memory.markAsWrite();
    assertThat(memory.reserve(Category.PARSED_BODY, 100_000)).isNull();
    assertThat(memory.reserve(Category.NODE_RESPONSES, 50_000 + WriteMemoryAccount.FREE_BYTES + 1))
        .isNotNull();
    assertThat(memory.reserve(Category.NODE_RESPONSES, 50_000 + WriteMemoryAccount.FREE_BYTES))
        .isNull();
    assertThat(memory.reserve(Category.NODE_RESPONSES, 1)).isNotNull();
    memory.release(Category.NODE_RESPONSES, 50_000 + WriteMemoryAccount.FREE_BYTES);
    memory.release(Category.PARSED_BODY, 100_000);
    assertThat(all.held).isZero();
  }

  @Test
  void coverTheResponseOfAReadThatPrepaysIt() {
    assertThat(memory.tryReserve(Category.PARSED_BODY, 100_000)).isNull();
    assertThat(memory.reserve(Category.CLIENT_RESPONSE, 1)).isNotNull();
    memory.prepayResponse();
    assertThat(memory.reserve(Category.NODE_RESPONSES, 1)).isNotNull();
    assertThat(memory.reserve(Category.CLIENT_RESPONSE, 50_000)).isNull();
    assertThat(memory.reserve(Category.CLIENT_RESPONSE, WriteMemoryAccount.FREE_BYTES)).isNull();
    assertThat(memory.reserve(Category.CLIENT_RESPONSE, 1)).isNotNull();
    memory.release(Category.PARSED_BODY, 100_000);
    memory.release(Category.CLIENT_RESPONSE, 50_000 + WriteMemoryAccount.FREE_BYTES);
    assertThat(all.held).isZero();
  }

  @Test
  void doNotReuseReleasedReservations() {
    memory.markAsWrite();
    for (int attempt = 0; attempt < 100; attempt++) {
      assertThat(memory.reserve(Category.PARSED_BODY, 100_000)).isNull();
      memory.release(Category.PARSED_BODY, 100_000);
      assertThat(memory.tryReserve(Category.PARSED_BODY, 100_000)).isNull();
      memory.release(Category.PARSED_BODY, 100_000);
    }
    assertThat(memory.reserve(Category.NODE_RESPONSES, WriteMemoryAccount.FREE_BYTES + 1))
        .isNotNull();
    assertThat(memory.reserve(Category.NODE_RESPONSES, WriteMemoryAccount.FREE_BYTES)).isNull();
  }

  @Test
  void reserveResponsesOfEachPartAndReportRejections() {
    memory.markAsWrite();
    WriteMemoryAccount part = memory.createPart();
    assertThat(memory.reserve(Category.PARSED_BODY, 100_000)).isNull();
    assertThat(part.tryReserve(Category.NODE_RESPONSES, WriteMemoryAccount.FREE_BYTES + 1))
        .isNotNull();
    assertThat(memory.isRetryable()).as("who only waits was not refused").isFalse();
    assertThat(part.reserve(Category.NODE_RESPONSES, WriteMemoryAccount.FREE_BYTES + 1))
        .isNotNull();
    assertThat(memory.isRetryable()).isTrue();
  }
}
