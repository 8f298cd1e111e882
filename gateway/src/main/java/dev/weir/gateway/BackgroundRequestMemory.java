package dev.weir.gateway;

import dev.weir.model.MemoryRejection;
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
record BackgroundRequestMemory(RequestMemory memory) implements RequestMemory {
  @Override
  public @Nullable MemoryRejection reserve(
      Category item, long bytes, Supplier<List<String>> growth) {
    return memory.tryReserve(item, bytes);
  }

  @Override
  public void forceReserve(Category item, long bytes) {
    memory.forceReserve(item, bytes);
  }

  @Override
  public void release(Category item, long bytes) {
    memory.release(item, bytes);
  }

  @Override
  public void assignTaskId(long number) {
    memory.assignTaskId(number);
  }

  @Override
  public boolean isBounded() {
    return memory.isBounded();
  }
}
