package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Knows the tenants of one queue, their weights and what their calls cost, and charges them for
 * admitted requests. Each node serves them in an order of its own, which its {@link
 * TenantServiceTracker} keeps. Tracks a bounded number of waiting tenants and counts further ones
 * as one; remembers the idle tenants that were served last. Guarded by the lock of its queue.
 *
 * @param <T> requests
 */
final class FairTenantScheduler<T> {
  /** The name of the tenants that are counted as one. */
  static final String OTHER_TENANTS = "_others";

  /** The maximum number of waiting tenants, and of idle ones. */
  static final int MAX_TENANTS = 256;

  private static final double MIN_WEIGHT = 1e-3;

  private final ToDoubleFunction<String> weightByName;
  private final Map<String, TenantQueue<T>> waiting = new LinkedHashMap<>();

  /** Idle tenants, the last served ones last. */
  private final Map<String, TenantQueue<T>> idle = new LinkedHashMap<>();

  FairTenantScheduler(ToDoubleFunction<String> weightByName) {
    this.weightByName = weightByName;
  }

  /** Returns the queue of a tenant; the shared queue if too many tenants wait. */
  TenantQueue<T> tenantQueue(String name) {
    TenantQueue<T> known = waiting.get(name);
    if (known == null) {
      known = idle.get(name);
    }
    if (known != null) {
      return known;
    }
    // The policy names the tenants with a weight of their own; their number is bounded.
    return waiting.size() < MAX_TENANTS || name.equals(OTHER_TENANTS) || clampedWeight(name) != 1
        ? new TenantQueue<>(name)
        : tenantQueue(OTHER_TENANTS);
  }

  private double clampedWeight(String tenant) {
    double weight = weightByName.applyAsDouble(tenant);
    return weight > MIN_WEIGHT ? Math.min(weight, 1 / MIN_WEIGHT) : MIN_WEIGHT;
  }

  /** Marks a tenant as waiting. */
  void activate(TenantQueue<T> tenant) {
    idle.remove(tenant.name);
    tenant.activate(clampedWeight(tenant.name));
    waiting.put(tenant.name, tenant);
  }

  /** Marks a tenant as idle. */
  void deactivate(TenantQueue<T> tenant) {
    waiting.remove(tenant.name);
    keepIdle(tenant);
    if (waiting.isEmpty()) {
      idle.clear();
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

  private void keepKnown(TenantQueue<T> tenant) {
    if (tenant.waiting() == 0) {
      tenant.activate(clampedWeight(tenant.name));
      keepIdle(tenant);
    }
  }

  /**
   * Learns from a call that ended what the requests of its tenant cost.
   *
   * @param ratio the time that it took, divided by that of its cost class on an idle node
   */
  void recordCallCost(TenantQueue<T> tenant, double ratio) {
    keepKnown(tenant);
    tenant.recordCallCost(ratio);
  }

  /**
   * Charges a tenant for the calls of an admitted request, at each node that they go to and that
   * requests wait for. Call it before the request is removed from its queue.
   *
   * @param callCost of one call, relative to the mean cost in the thread pool
   */
  void charge(
      TenantQueue<T> tenant,
      List<QueuePosition.SlotReservation> reservations,
      double callCost,
      NodeBacklogs nodeBacklogs) {
    double cost = callCost * tenant.costRatio();
    for (QueuePosition.SlotReservation reservation : reservations) {
      NodeBacklog node = nodeBacklogs.find(reservation.limiter().nodeId());
      if (node != null) {
        node.tenantService.charge(tenant.name, weightOf(tenant), cost * reservation.need().calls());
      }
    }
  }

  private double weightOf(TenantQueue<T> tenant) {
    return tenant.waiting() > 0 ? tenant.weight() : clampedWeight(tenant.name);
  }

  /**
   * Estimates how many requests are admitted to a node before a tenant's next one: its own, and the
   * fair share of those of the others that wait for the node.
   *
   * @param ownRequests waiting requests of the tenant that come first
   * @param otherRequests waiting requests of other tenants
   */
  double requestsAhead(
      TenantQueue<T> tenant, NodeBacklog node, int ownRequests, int otherRequests) {
    double othersRate = 0;
    for (TenantQueue<T> other : waiting.values()) {
      if (other != tenant && other.backlogAt(node) != null) {
        othersRate += requestRate(other, other.weight());
      }
    }
    double share = (ownRequests + 1) * othersRate / requestRate(tenant, weightOf(tenant));
    return ownRequests + Math.min(share, otherRequests);
  }

  /** Returns how many requests a tenant gets through by its weight, relative to other tenants. */
  private static double requestRate(TenantQueue<?> tenant, double weight) {
    return weight / tenant.costRatio();
  }

  /**
   * Returns how many calls to a node a tenant would have in flight if it had its share of them.
   *
   * @param otherCalls the calls in flight of all other tenants
   */
  double fairCalls(TenantQueue<T> tenant, NodeBacklog node, int otherCalls) {
    double own = weightOf(tenant);
    double others = node.tenantService.waitingWeightBeside(tenant.name);
    boolean othersWait = others > MIN_WEIGHT / 2; // the sum has rounding errors
    return otherCalls * own / (othersWait ? others : 1);
  }

  /** Returns the tenants with waiting requests. */
  Collection<TenantQueue<T>> waiting() {
    return new ArrayList<>(waiting.values());
  }

  int tenantCount() {
    return waiting.size() + idle.size();
  }
}
