package dev.weir.gateway;

import dev.weir.admission.MemoryLedger;
import dev.weir.protocol.FrameBudget;
import org.jspecify.annotations.Nullable;

/** The memory of nodes' answers, accounted for in a ledger of the gateway. Safe on any thread. */
record LedgerFrames(MemoryLedger ledger) implements FrameBudget {
  @Override
  public @Nullable Exception reserve(long bytes) {
    return ledger.take(bytes)
        ? null
        : FrameBudget.tooMuch(bytes, ledger.held(), ledger.limitBytes());
  }

  @Override
  public void release(long bytes) {
    ledger.giveBack(bytes);
  }
}
