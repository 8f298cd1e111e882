package dev.weir.gateway.admission;

import dev.weir.admission.MemoryPool;
import dev.weir.admission.memory.GatewayMemory;
import dev.weir.admission.memory.RequestMemoryLimits;
import dev.weir.config.policy.RequestMemoryPolicy;
import dev.weir.http.body.BodyBudget;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestPolicy;

/**
 * The memory of request bodies, accounted for in the gateway's ledger, as a part of what each
 * request holds. Safe on any thread.
 */
public record LedgerBodyBudget(
    MemoryPool ledger,
    GatewayMemory gatewayMemory,
    RequestPolicy.Section<RequestMemoryLimits> limits)
    implements BodyBudget {

  /** Makes one that goes by what policies say of single requests. */
  public static LedgerBodyBudget create(
      MemoryPool ledger,
      GatewayMemory memory,
      PolicySectionRegistry<RequestMemoryPolicy> sections) {
    return new LedgerBodyBudget(
        ledger,
        memory,
        sections.register((name, says, before) -> RequestMemoryLimits.forPolicy(name, says)));
  }

  @Override
  public boolean tryCharge(long bytes) {
    return ledger.reserve(bytes);
  }

  @Override
  public void release(long bytes) {
    ledger.release(bytes);
  }

  @Override
  public long used() {
    return ledger.usedBytes();
  }

  @Override
  public long limit() {
    return ledger.limitBytes();
  }

  @Override
  public RequestMemory open(
      String method, String uri, String tenant, String opaqueId, RequestPolicy policy) {
    return gatewayMemory.openAccount(
        method,
        uri,
        tenant.equals(RequestContext.DEFAULT_TENANT) ? null : tenant,
        opaqueId,
        policy.get(limits));
  }
}
