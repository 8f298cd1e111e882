package dev.weir.gateway.app;

import dev.weir.admission.MemoryLedger;
import dev.weir.gateway.http.BodyBudget;

/** The memory of request bodies, accounted for in the gateway's ledger. Safe on any thread. */
record LedgerBudget(MemoryLedger ledger) implements BodyBudget {
  @Override
  public boolean tryCharge(long bytes) {
    return ledger.take(bytes);
  }

  @Override
  public void release(long bytes) {
    ledger.giveBack(bytes);
  }

  @Override
  public long used() {
    return ledger.held();
  }

  @Override
  public long limit() {
    return ledger.limitBytes();
  }
}
