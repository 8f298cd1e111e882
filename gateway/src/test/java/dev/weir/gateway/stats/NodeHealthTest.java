package dev.weir.gateway.stats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.AdmissionQueues;
import dev.weir.admission.queue.NodeConcurrencyLimiter;
import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.model.Phase;
import dev.weir.routing.NodeLoad;
import dev.weir.routing.NodeLoadSnapshot;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NodeHealthTest {
  private static final NodeLoadSnapshot.Health GOOD = health(100, 0, false, false);

  private static NodeLoadSnapshot.Health health(
      long samples, double silenceMillis, boolean ejected, boolean unsteady) {
    return new NodeLoadSnapshot.Health(
        samples, 1_000_000, silenceMillis * 1e6, ejected, ejected ? 4_000_000_000L : 0, unsteady);
  }

  private static NodeLoadSnapshot load(
      String node, double responseMillis, NodeLoadSnapshot.Health health) {
    return new NodeLoadSnapshot(
        node, Phase.QUERY, new NodeLoad(3, responseMillis * 1e6, 0, 0, 0), health);
  }

  private static NodeHealth judge(NodeLoadSnapshot own) {
    return NodeHealth.of(
        "a", 1, 1, List.of(own, load("b", 10, GOOD), load("c", 12, GOOD)), List.of());
  }

  @Test
  void nameTheWorstThatTheGatewayKnows() {
    assertThat(NodeHealth.of("a", 0, 1, List.of(), List.of()).word()).isEqualTo("lost");
    assertThat(NodeHealth.of("a", 1, 1, List.of(), List.of()).word()).isEqualTo("unused");
    assertThat(judge(load("a", 11, GOOD)).word()).isEqualTo("healthy");
    assertThat(judge(load("a", 50, health(100, 900, true, true))))
        .isEqualTo(
            new NodeHealth(
                "ejected", "query calls failed several times in a row: asked again in 4 s"));
    assertThat(judge(load("a", 50, health(100, 900, false, true))))
        .isEqualTo(
            new NodeHealth(
                "stalled", "no response to 3 query calls for 0.9 s longer than expected"));
    assertThat(judge(load("a", 50, health(100, 0, false, true))).word()).isEqualTo("unsteady");
  }

  @Test
  void nameWhatAnOperatorLetsItHave() {
    List<NodeLoadSnapshot> loads = List.of(load("a", 11, GOOD));
    assertThat(NodeHealth.of("a", 1, 0, loads, List.of()).word()).isEqualTo("drained");
    assertThat(NodeHealth.of("a", 1, 0.25, loads, List.of()))
        .isEqualTo(new NodeHealth("reduced", "it gets 25 % of its usual requests now"));
  }

  @Test
  void ignoreCallsForWhichNobodyWaits() {
    NodeLoadSnapshot givenUp =
        new NodeLoadSnapshot(
            "a", Phase.FETCH, new NodeLoad(0, 1e6, 0, 0, 0), health(100, 900, false, false));
    assertThat(judge(givenUp).word()).isEqualTo("healthy");
  }

  @Test
  void callANodeBusyAtItsLimit() {
    NodeConcurrencyLimiter limiter =
        new AdmissionQueues<String>(QueuePolicy.defaults(), () -> 0L, tenant -> 1, place -> {})
            .limiters()
            .limiter("a", NodeThreadPool.GET);
    List<NodeLoadSnapshot> loads = List.of(load("a", 11, GOOD));
    while (limiter.inFlight() + 1 < limiter.limit()) {
      limiter.onCallStart();
    }
    assertThat(NodeHealth.of("a", 1, 1, loads, List.of(limiter)).word()).isEqualTo("healthy");
    limiter.onCallStart();
    NodeHealth full = NodeHealth.of("a", 1, 1, loads, List.of(limiter));
    assertThat(full.word()).isEqualTo("busy");
    assertThat(full.reason()).contains(" get calls in flight, limit ", "requests wait for it");
  }

  @Test
  void compareResponseTimesWithThoseOfTheOtherNodes() {
    assertThat(judge(load("a", 48, GOOD)))
        .isEqualTo(
            new NodeHealth(
                "slow", "query calls take 48 ms, 4.0 times as long as on the other nodes"));
    assertThat(judge(load("a", 48, health(5, 0, false, false))).word())
        .as("too few responses")
        .isEqualTo("healthy");
    assertThat(NodeHealth.of("a", 1, 1, List.of(load("a", 48, GOOD)), List.of()).word())
        .as("no other node")
        .isEqualTo("healthy");
    List<NodeLoadSnapshot> fast = List.of(load("a", 3, GOOD), load("b", 1, GOOD));
    assertThat(NodeHealth.of("a", 1, 1, fast, List.of()).word())
        .as("milliseconds apart")
        .isEqualTo("healthy");
  }
}
