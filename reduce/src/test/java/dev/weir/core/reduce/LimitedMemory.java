package dev.weir.core.reduce;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Counts what is reserved, and refuses what exceeds its limit. */
public final class LimitedMemory implements RequestMemory {
  private final long limitBytes;
  private long used;

  /** Creates a memory that refuses nothing. */
  public LimitedMemory() {
    this(Long.MAX_VALUE);
  }

  /** Creates a memory with a limit. */
  public LimitedMemory(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Returns the reserved bytes. */
  public long used() {
    return used;
  }

  @Override
  public @Nullable MemoryRejection reserve(
      Category item, long bytes, Supplier<List<String>> growth) {
    if (used + bytes > limitBytes) {
      return new MemoryRejection(
          item, bytes, used + bytes, limitBytes, "a test", false, List.of(), List.of());
    }
    used += bytes;
    return null;
  }

  @Override
  public void forceReserve(Category item, long bytes) {
    used += bytes;
  }

  @Override
  public void release(Category item, long bytes) {
    used -= bytes;
  }
}
