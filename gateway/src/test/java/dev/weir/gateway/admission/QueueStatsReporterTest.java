package dev.weir.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.model.Phase;
import dev.weir.routing.NodeLoad;
import dev.weir.routing.NodeLoadSnapshot;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class QueueStatsReporterTest {
  private static NodeLoadSnapshot load(String node, Phase phase, int outstanding) {
    return new NodeLoadSnapshot(
        node,
        phase,
        new NodeLoad(outstanding, 0, 0, 0, 0),
        new NodeLoadSnapshot.Health(1, 0, 0, false, 0, false));
  }

  @Test
  void splitTheCallsInFlightByPhase() {
    AdmissionQueues<String> queues =
        new AdmissionQueues<>(QueuePolicy.defaults(), () -> 0L, tenant -> 1, place -> {});
    queues.limiters().limiter("a", NodeThreadPool.SEARCH).onCallStart();
    List<NodeLoadSnapshot> loads =
        List.of(
            load("a", Phase.QUERY, 9),
            load("a", Phase.FETCH, 4),
            load("a", Phase.WRITE, 2),
            load("b", Phase.QUERY, 5));
    Map<String, Object> shown = new QueueStatsReporter(queues, Map::of, () -> loads).sections();
    assertThat(shown.toString())
        .contains("in_flight=1, in_flight_by_phase={query=9, fetch=4}, reserved=0")
        .contains("in_flight_by_phase={write=2}");
  }
}
