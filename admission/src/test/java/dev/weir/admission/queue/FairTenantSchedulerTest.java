package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FairTenantSchedulerTest {
  private static final Map<String, Double> WEIGHTS = Map.of("small", 0.1, "half", 0.2, "gold", 4.0);

  private final FairTenantScheduler<String> scheduler =
      new FairTenantScheduler<>(tenant -> WEIGHTS.getOrDefault(tenant, 1.0));
  private final HeldSlots slots = new HeldSlots();
  private final NodeBacklog node = new NodeBacklog("n1", () -> slots);

  /** A tenant starts to wait with one request. */
  private TenantQueue<String> start(String name) {
    return startAt(name, node);
  }

  private TenantQueue<String> startAt(String name, NodeBacklog at) {
    TenantQueue<String> tenant = scheduler.tenantQueue(name);
    scheduler.activate(tenant);
    NodeDemand demand = NodeDemand.of(List.of(List.of(at.nodeId)));
    QueuedRequest request = new QueuedRequest(demand, name, 0, Long.MAX_VALUE);
    tenant.add(
        new QueuePosition<>("request", request, 0, 1),
        new WaitQueue.Bottleneck(demand.needs().getFirst(), List.of(at), List.of(at)),
        0);
    return tenant;
  }

  @Test
  void sharesCallsByWeightsBelowOne() {
    start("half");
    assertThat(scheduler.fairCalls(scheduler.tenantQueue("small"), node, 20))
        .isCloseTo(10, within(1e-9));
  }

  @Test
  void sharesCallsEquallyWithTenantsThatDoNotWait() {
    TenantQueue<String> only = start("small");
    assertThat(scheduler.fairCalls(only, node, 20)).isCloseTo(2, within(1e-9));
    assertThat(scheduler.fairCalls(start("gold"), node, 20)).isCloseTo(800, within(1e-6));
  }

  @Test
  void countsOtherTenantsByTheirCosts() {
    TenantQueue<String> one = start("one");
    TenantQueue<String> slow = start("slow");
    start("gold");
    assertThat(scheduler.requestsAhead(one, node, 1, 100)).isCloseTo(1 + 2 * 5, within(1e-9));
    for (int i = 0; i < 500; i++) {
      scheduler.recordCallCost(slow, 10);
    }
    assertThat(scheduler.requestsAhead(one, node, 1, 100)).isCloseTo(1 + 2 * 4.1, within(1e-6));
    assertThat(scheduler.requestsAhead(slow, node, 0, 100)).isCloseTo(50, within(1e-3));
    scheduler.deactivate(slow);
    assertThat(scheduler.requestsAhead(one, node, 1, 100)).isCloseTo(1 + 2 * 4, within(1e-6));
  }

  @Test
  void countTenantsThatWaitForTheSameNodeOnly() {
    NodeBacklog other = new NodeBacklog("n2", HeldSlots::new);
    for (int i = 0; i < 20; i++) {
      startAt("elsewhere" + i, other);
    }
    start("flood");
    TenantQueue<String> one = scheduler.tenantQueue("one");
    assertThat(scheduler.requestsAhead(one, node, 0, 200)).isCloseTo(1, within(1e-9));
    assertThat(scheduler.fairCalls(one, node, 20)).isCloseTo(20, within(1e-9));
    assertThat(scheduler.fairCalls(one, other, 20)).isCloseTo(1, within(1e-9));
  }

  @Test
  void oneSlowCallRaisesTheCostLittle() {
    TenantQueue<String> tenant = start("one");
    scheduler.recordCallCost(tenant, 1000);
    assertThat(tenant.costRatio()).as("the first call").isLessThanOrEqualTo(4);
    for (int i = 0; i < 500; i++) {
      scheduler.recordCallCost(tenant, 1);
    }
    scheduler.recordCallCost(tenant, 1000);
    assertThat(tenant.costRatio()).isLessThan(1.3);
    for (int i = 0; i < 100; i++) {
      scheduler.recordCallCost(tenant, 100);
    }
    assertThat(tenant.costRatio()).as("many slow calls").isGreaterThan(80);
  }

  @Test
  void tenantsThatAreCountedAsOneAreNeverBelowTheirShare() {
    start("one");
    for (int i = 0; i < 20; i++) {
      slots.onCallStart("one", 0);
    }
    TenantQueue<String> others = scheduler.tenantQueue(FairTenantScheduler.OTHER_TENANTS);
    assertThat(new TenantAtNode<>(others, node, scheduler).isBelowShare()).isFalse();
    TenantQueue<String> another = scheduler.tenantQueue("another");
    assertThat(new TenantAtNode<>(another, node, scheduler).isBelowShare()).isTrue();
  }
}
