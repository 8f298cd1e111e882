package dev.weir.gateway;

import dev.weir.model.MemoryRefusal;
import dev.weir.model.RequestMemory;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a request that no client waits for: as another, but that a refusal is nobody's to be
 * told, so that it is neither counted nor kept. Safe on any thread.
 *
 * @param memory pays
 */
record QuietMemory(RequestMemory memory) implements RequestMemory {
  @Override
  public @Nullable MemoryRefusal take(Item item, long bytes, Supplier<List<String>> growth) {
    return memory.tryTake(item, bytes);
  }

  @Override
  public void takeAnyway(Item item, long bytes) {
    memory.takeAnyway(item, bytes);
  }

  @Override
  public void giveBack(Item item, long bytes) {
    memory.giveBack(item, bytes);
  }

  @Override
  public void numbered(long number) {
    memory.numbered(number);
  }

  @Override
  public boolean bounded() {
    return memory.bounded();
  }
}
