package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * The tenants of one queue: a bounded number of those of which something waits, further ones as one
 * tenant together, and of the others those that got something last. Guarded by the lock of its
 * queue.
 *
 * <p>Virtual time is what a tenant of weight 1 has got that always had something waiting: with each
 * request that goes it gets on by its cost over the weight of all that wait. Who comes begins
 * there. So new names, however many, go before nobody who has waited for his share.
 *
 * @param <T> requests
 */
final class FairTenantScheduler<T> {
  /** What those are called that share a place. */
  static final String OTHER_TENANTS = "_others";

  /** Tenants that wait, and as many that don't. */
  static final int MAX_TENANTS = 256;

  private static final double MIN_WEIGHT = 1e-3;

  private final ToDoubleFunction<String> weightOf;
  private final Map<String, TenantQueue<T>> waiting = new LinkedHashMap<>();

  /** Those that got something last are the last. */
  private final Map<String, TenantQueue<T>> idle = new LinkedHashMap<>();

  private double virtualTime;
  private double activeWeight;

  FairTenantScheduler(ToDoubleFunction<String> weightOf) {
    this.weightOf = weightOf;
  }

  /** The tenant of a name; the one that shares what is left where too many wait. */
  TenantQueue<T> tenantQueue(String name) {
    TenantQueue<T> known = waiting.get(name);
    if (known == null) {
      known = idle.get(name);
    }
    if (known != null) {
      return known;
    }
    // A weight of its own is known from the policy, and so of a bounded number.
    return waiting.size() < MAX_TENANTS || name.equals(OTHER_TENANTS) || clampedWeight(name) != 1
        ? new TenantQueue<>(name)
        : tenantQueue(OTHER_TENANTS);
  }

  private double clampedWeight(String tenant) {
    double asked = weightOf.applyAsDouble(tenant);
    return asked > MIN_WEIGHT ? Math.min(asked, 1 / MIN_WEIGHT) : MIN_WEIGHT;
  }

  /** Something of it waits from now on. */
  void activate(TenantQueue<T> tenant) {
    idle.remove(tenant.name);
    tenant.activate(virtualTime, clampedWeight(tenant.name));
    waiting.put(tenant.name, tenant);
    activeWeight += tenant.weight();
  }

  /** Nothing of it waits any more. */
  void deactivate(TenantQueue<T> tenant) {
    waiting.remove(tenant.name);
    activeWeight -= tenant.weight();
    keepIdle(tenant);
    if (waiting.isEmpty()) {
      idle.clear();
      virtualTime = 0;
      activeWeight = 0;
    }
  }

  private void keepIdle(TenantQueue<T> tenant) {
    idle.remove(tenant.name);
    idle.put(tenant.name, tenant);
    if (idle.size() > MAX_TENANTS) {
      Iterator<TenantQueue<T>> eldest = idle.values().iterator();
      eldest.next();
      eldest.remove();
    }
  }

  /** A request of a tenant of which nothing else waits goes at once, while others wait. */
  void chargeImmediate(TenantQueue<T> tenant, double cost) {
    if (tenant.waiting() > 0) {
      tenant.charge(cost);
    } else {
      tenant.activate(virtualTime, clampedWeight(tenant.name));
      tenant.charge(cost);
      keepIdle(tenant);
    }
  }

  /** A request that waits goes now; call before it is removed. */
  void charge(TenantQueue<T> tenant, double cost) {
    virtualTime =
        Math.max(virtualTime, tenant.virtualStart())
            + cost / Math.max(activeWeight, tenant.weight());
    tenant.charge(cost);
  }

  /**
   * How many requests go before one of a tenant: its own, and of the others' as many as are their
   * fair share meanwhile.
   */
  double requestsAhead(TenantQueue<T> tenant, int own, int theirs) {
    boolean waits = tenant.waiting() > 0;
    double others = Math.max(0, activeWeight - (waits ? tenant.weight() : 0));
    double share = (own + 1) * others / (waits ? tenant.weight() : clampedWeight(tenant.name));
    return own + Math.min(share, theirs);
  }

  /** Those of which something waits. */
  Collection<TenantQueue<T>> waiting() {
    return new ArrayList<>(waiting.values());
  }

  /** How many are known by name. */
  int tenantCount() {
    return waiting.size() + idle.size();
  }
}
