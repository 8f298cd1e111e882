package dev.weir.core.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.NodeConcurrencyLimiter;
import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.config.policy.TenantsPolicy;
import dev.weir.config.policy.TenantsPolicy.TenantSource;
import dev.weir.core.coordinate.AdmissionGate.AdmissionHandle;
import dev.weir.core.coordinate.AdmissionGate.AdmissionRequest;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who shares a busy node's capacity. */
class QueuedAdmissionGateTest {
  private static final AdmissionRequest SEARCH =
      new AdmissionRequest(List.of(List.of("n1")), NodeCallType.HITS);

  private final List<String> admitted = new ArrayList<>();
  private final QueuedAdmissionGate gate =
      new QueuedAdmissionGate(
          QueuePolicy.defaults(),
          TenantsPolicy.none(),
          (context, rejection) -> new IllegalStateException("rejected"),
          () -> 0L,
          (delay, eventLoop, action) -> {});
  private final NodeConcurrencyLimiter node = gate.lanes().limiter("n1", NodeThreadPool.SEARCH);
  private long task;

  private void fillNode() {
    while (node.hasCapacity()) {
      node.onCallStart();
    }
  }

  private RequestContext context(String client) {
    RequestContext context = new RequestContext(Runnable::run, ++task, Map.of());
    context.setClientAddress(new InetSocketAddress(client, 40_000));
    return context;
  }

  private void search(String client) {
    RequestContext context = context(client);
    AdmissionHandle handle =
        gate.requestAdmission(
            SEARCH, context, later -> admitted.add(client + " " + (later.rejection() == null)));
    assertThat(handle.isWaiting()).as("the node is full").isTrue();
  }

  /** Several tenants get no more calls than the node has threads. */
  private void endCallsBeyondThreads() {
    while (node.inFlight() > 13) {
      endOneCall();
    }
    assertThat(admitted).isEmpty();
  }

  private void endOneCall() {
    node.onAbandoned();
  }

  @Test
  void admitAnotherClientBeforeTheRestOfACrowd() {
    fillNode();
    for (int i = 0; i < 6; i++) {
      search("10.0.0.1");
    }
    search("10.0.0.2");
    endCallsBeyondThreads();
    endOneCall();
    endOneCall();
    endOneCall();
    assertThat(admitted).hasSizeGreaterThanOrEqualTo(2).hasSizeLessThan(6);
    assertThat(admitted).contains("10.0.0.1 true", "10.0.0.2 true");
  }

  @Test
  void resolveTheTenantOfARequestOnce() {
    RequestContext context = context("10.0.0.1");
    String tenant = gate.tenantOf(context);
    assertThat(tenant).isEqualTo("10.0.0.1");
    assertThat(gate.tenantOf(context)).isSameAs(tenant);
    assertThat(gate.tenantOf(context.newSubContext())).isSameAs(tenant);
  }

  /** A client may invent the nodes of a point in time. */
  @Test
  void rememberNoNodeThatARequestNames() {
    fillNode();
    int known = gate.lanes().allLimiters().size();
    search("10.0.0.1");
    for (int i = 0; i < 1000; i++) {
      RequestContext context = context("10.0.0.1");
      String node = "invented-" + i;
      assertThat(gate.canAdmitImmediately(NodeCallType.HITS, node, 1, context))
          .as("others wait")
          .isFalse();
      assertThat(gate.hasCapacity(NodeCallType.HITS, node, context)).isTrue();
      AdmissionHandle handle =
          gate.requestAdmission(
              new AdmissionRequest(List.of(List.of(node)), NodeCallType.HITS),
              context,
              later -> {});
      assertThat(handle.isWaiting()).isFalse();
    }
    assertThat(gate.lanes().allLimiters()).hasSize(known);
  }

  @Test
  void waitForMoreNodesInThePlaceOfBefore() {
    gate.lanes().limiter("n2", NodeThreadPool.SEARCH);
    fillNode();
    RequestContext context = context("10.0.0.1");
    AdmissionHandle handle =
        gate.requestAdmission(
            SEARCH, context, later -> admitted.add(String.valueOf(later.isReservedOn("n2"))));
    assertThat(gate.queues().waiting()).isEqualTo(1);
    handle.widen(List.of(List.of("n1", "n2")));
    assertThat(admitted).containsExactly("true");
    assertThat(gate.queues().waiting()).isZero();
  }

  /** One client has all the calls to n1 that one tenant may have; another client has none. */
  @Test
  void askForTheCapacityOfTheTenant() {
    gate.lanes().limiter("n2", NodeThreadPool.SEARCH);
    for (int i = 0; i < 9; i++) { // three quarters of 13 threads
      node.heldSlots().onCallStart("10.0.0.1", node.onCallStart());
    }
    RequestContext many = context("10.0.0.1");
    RequestContext few = context("10.0.0.2");
    assertThat(gate.hasCapacity(NodeCallType.HITS, "n1", many)).as("alone").isTrue();
    node.heldSlots().onCallStart("10.0.0.2", node.onCallStart());
    assertThat(gate.hasCapacity(NodeCallType.HITS, "n1", many)).isFalse();
    assertThat(gate.hasCapacity(NodeCallType.HITS, "n2", many)).isTrue();
    assertThat(gate.hasCapacity(NodeCallType.HITS, "n1", few)).isTrue();
    assertThat(gate.canAdmitImmediately(NodeCallType.HITS, "n1", 1, few)).isTrue();
    assertThat(gate.canAdmitImmediately(NodeCallType.HITS, "n1", 9, few)).isFalse();
    AdmissionHandle handle =
        gate.requestAdmission(
            new AdmissionRequest(List.of(List.of("n1", "n2")), NodeCallType.HITS),
            many,
            later -> {});
    assertThat(handle.isReservedOn("n1")).isFalse();
    assertThat(handle.isReservedOn("n2")).isTrue();
    handle.release();
    assertThat(handle.isReservedOn("n2")).isFalse();
  }

  /** Admission counts queries: fetches say nothing about what a request costs. */
  @Test
  void countTheCostOfQueriesOnly() {
    fillNode();
    for (int i = 0; i < 30; i++) {
      search("10.0.0.1");
      search("10.0.0.2");
    }
    for (int i = 0; i < 200; i++) {
      gate.recordCallCost(NodeCallType.FETCH, "10.0.0.1", -2_000_000_000L);
    }
    endCallsBeyondThreads();
    for (int i = 0; i < 8; i++) {
      endOneCall();
    }
    assertThat(admitted.stream().filter("10.0.0.1 true"::equals).count()).isBetween(3L, 5L);
    for (int i = 0; i < 200; i++) {
      gate.recordCallCost(NodeCallType.HITS, "10.0.0.1", -2_000_000_000L);
    }
    admitted.clear();
    for (int i = 0; i < 4; i++) {
      endOneCall();
    }
    assertThat(admitted.stream().filter("10.0.0.1 true"::equals).count()).isLessThan(2);
  }

  @Test
  void keepTheOrderOfArrivalAmongRequestsThatNameNoTenant() {
    gate.updatePolicy(
        QueuePolicy.defaults(),
        new TenantsPolicy(TenantSource.HEADER, "X-Tenant", List.of(), Map.of()));
    fillNode();
    for (int i = 0; i < 6; i++) {
      search("10.0.0.1");
    }
    search("10.0.0.2");
    endOneCall();
    endOneCall();
    endOneCall();
    assertThat(admitted).isNotEmpty().containsOnly("10.0.0.1 true");
  }
}
