package dev.weir.gateway;

import dev.weir.admission.MemoryLedger;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.RequestLimits;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.http.BodyBudget;
import dev.weir.model.PolicySections;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;

/**
 * The memory of request bodies, accounted for in the gateway's ledger, as a part of what each
 * request holds. Safe on any thread.
 */
record LedgerBudget(
    MemoryLedger ledger, GatewayMemory memory, RequestPolicy.Section<RequestLimits> limits)
    implements BodyBudget {

  /** Makes one that goes by what policies say of single requests. */
  static LedgerBudget of(
      MemoryLedger ledger, GatewayMemory memory, PolicySections<RequestMemoryPolicy> sections) {
    return new LedgerBudget(
        ledger, memory, sections.add((name, says, before) -> RequestLimits.of(name, says)));
  }

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
  public RequestMemory open(
      String method, String uri, String tenant, String opaqueId, RequestPolicy policy) {
    return memory.open(
        method,
        uri,
        tenant.equals(RequestContext.DEFAULT_TENANT) ? null : tenant,
        opaqueId,
        policy.of(limits));
  }
}
