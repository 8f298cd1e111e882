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
 * Accounts for the memory of request bodies, in the pool of all bodies and in the account of each
 * request. Safe on any thread.
 */
public record LedgerBodyBudget(
    MemoryPool pool, GatewayMemory gatewayMemory, RequestPolicy.Section<RequestMemoryLimits> limits)
    implements BodyBudget {

  /** Creates a budget with the limits of single requests that policies set. */
  public static LedgerBodyBudget create(
      MemoryPool pool, GatewayMemory memory, PolicySectionRegistry<RequestMemoryPolicy> sections) {
    return new LedgerBodyBudget(
        pool,
        memory,
        sections.register((name, policy, before) -> RequestMemoryLimits.forPolicy(name, policy)));
  }

  @Override
  public boolean tryCharge(long bytes) {
    return pool.reserve(bytes);
  }

  @Override
  public void release(long bytes) {
    pool.release(bytes);
  }

  @Override
  public long used() {
    return pool.usedBytes();
  }

  @Override
  public long limit() {
    return pool.limitBytes();
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
