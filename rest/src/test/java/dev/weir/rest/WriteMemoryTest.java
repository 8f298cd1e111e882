package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Item;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WriteMemoryTest {
  /** Has room for items only. */
  private static final class ItemsOnly implements RequestMemory {
    private long held;

    @Override
    public @Nullable MemoryRefusal take(Item item, long bytes, Supplier<List<String>> growth) {
      if (item != Item.PARSED) {
        return new MemoryRefusal(item, bytes, bytes, 0, "the test", false, List.of(), growth.get());
      }
      held += bytes;
      return null;
    }

    @Override
    public void takeAnyway(Item item, long bytes) {
      held += bytes;
    }

    @Override
    public void giveBack(Item item, long bytes) {
      held -= bytes;
    }
  }

  private final ItemsOnly all = new ItemsOnly();
  private final WriteMemory memory = new WriteMemory(all);

  @Test
  void answersAreAsLongAsHalfOfWhatWasPaidForTheItems() {
    memory.write();
    assertThat(memory.take(Item.PARSED, 100_000)).isNull();
    assertThat(memory.take(Item.ANSWERS, 50_000 + WriteMemory.BASE + 1)).isNotNull();
    assertThat(memory.take(Item.ANSWERS, 50_000 + WriteMemory.BASE)).isNull();
    assertThat(memory.take(Item.ANSWERS, 1)).isNotNull();
    memory.giveBack(Item.ANSWERS, 50_000 + WriteMemory.BASE);
    memory.giveBack(Item.PARSED, 100_000);
    assertThat(all.held).isZero();
  }

  @Test
  void whatWasGivenBackPaysForNothing() {
    memory.write();
    for (int attempt = 0; attempt < 100; attempt++) {
      assertThat(memory.take(Item.PARSED, 100_000)).isNull();
      memory.giveBack(Item.PARSED, 100_000);
      assertThat(memory.tryTake(Item.PARSED, 100_000)).isNull();
      memory.giveBack(Item.PARSED, 100_000);
    }
    assertThat(memory.take(Item.ANSWERS, WriteMemory.BASE + 1)).isNotNull();
    assertThat(memory.take(Item.ANSWERS, WriteMemory.BASE)).isNull();
  }

  @Test
  void aPartPaysAheadForItsOwnAnswersAndTellsOfItsRefusals() {
    memory.write();
    WriteMemory part = memory.part();
    assertThat(memory.take(Item.PARSED, 100_000)).isNull();
    assertThat(part.tryTake(Item.ANSWERS, WriteMemory.BASE + 1)).isNotNull();
    assertThat(memory.mayComeAgain()).as("who only waits was not refused").isFalse();
    assertThat(part.take(Item.ANSWERS, WriteMemory.BASE + 1)).isNotNull();
    assertThat(memory.mayComeAgain()).isTrue();
  }
}
