package dev.weir.gateway.app;

import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.gateway.http.BodyBudget;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory;

/**
 * The memory of request bodies, accounted for in the gateway's ledger, as a part of what each
 * request holds. Safe on any thread.
 */
record LedgerBudget(MemoryLedger ledger, GatewayMemory memory) implements BodyBudget {
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

  @Override
  public RequestMemory open(String method, String uri, String tenant, String opaqueId) {
    return memory.open(
        method, uri, tenant.equals(RequestContext.DEFAULT_TENANT) ? null : tenant, opaqueId);
  }
}
