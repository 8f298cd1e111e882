package dev.weir.gateway.admission;

import dev.weir.admission.MemoryPool;
import dev.weir.protocol.FrameBudget;
import org.jspecify.annotations.Nullable;

/** The memory of nodes' answers, accounted for in a ledger of the gateway. Safe on any thread. */
public record LedgerFrameBudget(MemoryPool ledger) implements FrameBudget {
  @Override
  public @Nullable Exception reserve(long bytes) {
    return ledger.reserve(bytes)
        ? null
        : FrameBudget.limitExceeded(bytes, ledger.usedBytes(), ledger.limitBytes());
  }

  @Override
  public void release(long bytes) {
    ledger.release(bytes);
  }
}
