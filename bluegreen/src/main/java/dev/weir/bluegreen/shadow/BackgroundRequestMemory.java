package dev.weir.bluegreen.shadow;

import dev.weir.model.MemoryRejection;
import dev.weir.model.ParsedBodyLimits;
import dev.weir.model.RequestMemory;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a request that no client waits for: a rejection is neither counted nor recorded.
 * Safe on any thread.
 *
 * @param memory the account that is charged
 */
public record BackgroundRequestMemory(RequestMemory memory) implements RequestMemory {
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
  public ParsedBodyLimits parsedBodyLimits() {
    return memory.parsedBodyLimits();
  }

  @Override
  public boolean isBounded() {
    return memory.isBounded();
  }
}
