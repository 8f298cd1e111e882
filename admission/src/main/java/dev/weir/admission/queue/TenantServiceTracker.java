package dev.weir.admission.queue;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Tracks what each tenant got of one node, by start-time fair queueing (Goyal et al. 1996): a
 * tenant's virtual start advances by the cost of the calls that it sends to the node, divided by
 * its weight, and the tenant with the lowest one is served next. What a tenant gets of other nodes
 * does not count. Remembers a bounded number of tenants of which nothing waits. Guarded by the lock
 * of its queue.
 *
 * <p>Virtual time is the service that a tenant of weight 1 would have received from the node if it
 * had always had requests waiting that the node could serve: it is at least the virtual start of
 * the tenant that was served last, and each call of one that waits advances it by the call's cost
 * divided by the weight of all of them. A tenant that starts to wait starts at the current virtual
 * time, so that inventing tenant names gains nothing over tenants that have waited.
 */
final class TenantServiceTracker {
  /** The maximum number of remembered tenants of which nothing waits. */
  static final int MAX_IDLE_TENANTS = FairTenantScheduler.MAX_TENANTS;

  private final Map<String, Service> waiting = new HashMap<>();

  /** Tenants of which nothing waits and that are ahead of the others, the last served ones last. */
  private final Map<String, Service> idle = new LinkedHashMap<>();

  private double virtualTime;
  private double waitingWeight;

  /** What one tenant got. */
  private static final class Service {
    private double weight;

    /** The virtual time at which the tenant's next call starts. */
    private double virtualStart;
  }

  /** Records that a tenant's requests wait for the node from now on. */
  void onWaitStart(String tenant, double weight) {
    waiting.put(tenant, resume(tenant, weight));
    waitingWeight += weight;
  }

  /** Records that no request of a tenant waits for the node any more. */
  void onWaitEnd(String tenant) {
    Service ended = waiting.remove(tenant);
    if (waiting.isEmpty()) {
      idle.clear();
      virtualTime = 0;
      waitingWeight = 0;
    } else if (ended != null) {
      waitingWeight -= ended.weight;
      keepIdle(tenant, ended);
    }
  }

  /**
   * Charges a tenant for calls that go to the node. Has no effect while no request waits for the
   * node: then the calls take nothing from others. Call it before the request is removed.
   */
  void charge(String tenant, double weight, double cost) {
    if (waiting.isEmpty()) {
      return;
    }
    Service service = waiting.get(tenant);
    if (service != null) {
      virtualTime =
          Math.max(virtualTime, service.virtualStart)
              + cost / Math.max(waitingWeight, service.weight);
      service.virtualStart += cost / service.weight;
    } else {
      Service resumed = resume(tenant, weight);
      resumed.virtualStart += cost / weight;
      keepIdle(tenant, resumed);
    }
  }

  private Service resume(String tenant, double weight) {
    Service known = idle.remove(tenant);
    Service service = known == null ? new Service() : known;
    service.weight = weight;
    service.virtualStart = Math.max(virtualTime, service.virtualStart);
    return service;
  }

  private void keepIdle(String tenant, Service service) {
    if (service.virtualStart <= virtualTime) {
      return; // it starts there anyway
    }
    idle.put(tenant, service);
    if (idle.size() > MAX_IDLE_TENANTS) {
      Iterator<Service> eldest = idle.values().iterator();
      eldest.next();
      eldest.remove();
    }
  }

  /** Returns the weight of all other tenants whose requests wait for the node. */
  double waitingWeightBeside(String tenant) {
    Service own = waiting.get(tenant);
    return own == null ? waitingWeight : waitingWeight - own.weight;
  }

  /** Returns the virtual start of a tenant whose requests wait for the node. */
  double virtualStart(String tenant) {
    Service service = waiting.get(tenant);
    return service == null ? virtualTime : service.virtualStart;
  }
}
