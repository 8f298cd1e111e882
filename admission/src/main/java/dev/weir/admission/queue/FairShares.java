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
final class FairShares<T> {
  /** What those are called that share a place. */
  static final String OTHERS = "_others";

  /** Tenants that wait, and as many that don't. */
  static final int MOST = 256;

  private static final double LEAST_WEIGHT = 1e-3;

  private final ToDoubleFunction<String> weightOf;
  private final Map<String, Tenant<T>> waiting = new LinkedHashMap<>();

  /** Those that got something last are the last. */
  private final Map<String, Tenant<T>> idle = new LinkedHashMap<>();

  private double virtual;
  private double weight;

  FairShares(ToDoubleFunction<String> weightOf) {
    this.weightOf = weightOf;
  }

  /** The tenant of a name; the one that shares what is left where too many wait. */
  Tenant<T> of(String name) {
    Tenant<T> known = waiting.get(name);
    if (known == null) {
      known = idle.get(name);
    }
    if (known != null) {
      return known;
    }
    // A weight of its own is known from the policy, and so of a bounded number.
    return waiting.size() < MOST || name.equals(OTHERS) || weight(name) != 1
        ? new Tenant<>(name)
        : of(OTHERS);
  }

  private double weight(String tenant) {
    double asked = weightOf.applyAsDouble(tenant);
    return asked > LEAST_WEIGHT ? Math.min(asked, 1 / LEAST_WEIGHT) : LEAST_WEIGHT;
  }

  /** Something of it waits from now on. */
  void waits(Tenant<T> tenant) {
    idle.remove(tenant.name);
    tenant.wakes(virtual, weight(tenant.name));
    waiting.put(tenant.name, tenant);
    weight += tenant.weight();
  }

  /** Nothing of it waits any more. */
  void rests(Tenant<T> tenant) {
    waiting.remove(tenant.name);
    weight -= tenant.weight();
    remember(tenant);
    if (waiting.isEmpty()) {
      idle.clear();
      virtual = 0;
      weight = 0;
    }
  }

  private void remember(Tenant<T> tenant) {
    idle.remove(tenant.name);
    idle.put(tenant.name, tenant);
    if (idle.size() > MOST) {
      Iterator<Tenant<T>> eldest = idle.values().iterator();
      eldest.next();
      eldest.remove();
    }
  }

  /** A request of a tenant of which nothing else waits goes at once, while others wait. */
  void passes(Tenant<T> tenant, double cost) {
    if (tenant.waiting() > 0) {
      tenant.pays(cost);
    } else {
      tenant.wakes(virtual, weight(tenant.name));
      tenant.pays(cost);
      remember(tenant);
    }
  }

  /** A request that waits goes now; call before it is removed. */
  void goes(Tenant<T> tenant, double cost) {
    virtual = Math.max(virtual, tenant.start()) + cost / Math.max(weight, tenant.weight());
    tenant.pays(cost);
  }

  /**
   * How many requests go before one of a tenant: its own, and of the others' as many as are their
   * fair share meanwhile.
   */
  double ahead(Tenant<T> tenant, int own, int theirs) {
    boolean waits = tenant.waiting() > 0;
    double others = Math.max(0, weight - (waits ? tenant.weight() : 0));
    double share = (own + 1) * others / (waits ? tenant.weight() : weight(tenant.name));
    return own + Math.min(share, theirs);
  }

  /** Those of which something waits. */
  Collection<Tenant<T>> waiting() {
    return new ArrayList<>(waiting.values());
  }

  /** How many are known by name. */
  int size() {
    return waiting.size() + idle.size();
  }
}
