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

  private void search(String client) {
    RequestContext context = new RequestContext(Runnable::run, ++task, Map.of());
    context.setClientAddress(new InetSocketAddress(client, 40_000));
    AdmissionHandle handle =
        gate.requestAdmission(
            SEARCH, context, later -> admitted.add(client + " " + (later.rejection() == null)));
    assertThat(handle.isWaiting()).as("the node is full").isTrue();
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
    endOneCall();
    endOneCall();
    endOneCall();
    assertThat(admitted).hasSizeGreaterThanOrEqualTo(2).hasSizeLessThan(6);
    assertThat(admitted).contains("10.0.0.1 true", "10.0.0.2 true");
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
