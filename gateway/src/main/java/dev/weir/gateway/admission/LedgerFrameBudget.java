package dev.weir.gateway.admission;

import dev.weir.admission.MemoryPool;
import dev.weir.protocol.FrameBudget;
import org.jspecify.annotations.Nullable;

/** Accounts for the memory of responses from nodes, in one pool. Safe on any thread. */
public record LedgerFrameBudget(MemoryPool pool) implements FrameBudget {
  @Override
  public @Nullable Exception reserve(long bytes) {
    return pool.reserve(bytes) ? null : rejection(bytes);
  }

  @Override
  public @Nullable Exception tryReserve(long bytes) {
    return pool.tryReserve(bytes, 0) ? null : rejection(bytes);
  }

  private Exception rejection(long bytes) {
    return FrameBudget.limitExceeded(bytes, pool.usedBytes(), pool.limitBytes());
  }

  @Override
  public void release(long bytes) {
    pool.release(bytes);
  }
}
