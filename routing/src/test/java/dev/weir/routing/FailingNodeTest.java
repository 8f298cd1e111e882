package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Phase;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A node that fails fast must not attract requests, and must get them back after its recovery. */
final class FailingNodeTest {
  private final SelectorFixture bench = new SelectorFixture(RoutingPolicies.PLAIN);

  private void warmAll() {
    bench.warm("bad", 1);
    warmOthers();
  }

  private void warmOthers() {
    bench.warm("a", 5);
    bench.warm("b", 5);
  }

  /**
   * Sends 4000 requests to the first copy, and retries on the next one. Returns how often "bad" was
   * first.
   */
  private int countBadFirst(Consumer<NodeLoadRecorder.OutstandingRequest> outcome) {
    int count = 0;
    for (int i = 0; i < 4000; i++) {
      List<String> order = bench.order("bad", "a", "b");
      boolean badFirst = order.getFirst().equals("bad");
      if (badFirst) {
        outcome.accept(bench.send("bad"));
        count++;
      }
      bench.answer(badFirst ? order.get(1) : order.getFirst(), 5, 0, 5 + i * 1e-6);
    }
    return count;
  }

  @Test
  void sendLittleToANodeThatFailsFast() {
    for (NodeLoadRecorder.Failure failure :
        new NodeLoadRecorder.Failure[] {
          NodeLoadRecorder.Failure.UNREACHABLE, NodeLoadRecorder.Failure.ERROR
        }) {
      warmAll();
      assertThat(countBadFirst(sent -> sent.onFailure(failure)))
          .as("first attempts after %s", failure)
          .isBetween(1, 40);
      bench.tracker.forget("bad");
    }
  }

  /** A full node answers at once, and so is always the next unknown node without a request. */
  @Test
  void sendLittleToAnUnknownNodeThatRejects() {
    warmOthers();
    assertThat(countBadFirst(sent -> sent.onFailure(NodeLoadRecorder.Failure.REJECTED)))
        .as("first attempts, twice a second at most")
        .isBetween(1, 45);
    bench.answer("bad", 1, 0, 1);
    assertThat(bench.first("bad", "a", "b")).as("once it responds").isEqualTo("bad");
  }

  @Test
  void sendLittleToAnUnknownNodeWithoutAMeasure() {
    warmOthers();
    assertThat(countBadFirst(NodeLoadRecorder.OutstandingRequest::onResponseWithoutStats))
        .as("first attempts, twice a second at most")
        .isBetween(1, 45);
  }

  /** Gets and fetches of nodes without the plugin report no queue. */
  @Test
  void forgetARejectionWhereNoQueueIsReported() {
    NodePhaseState state = bench.tracker.state("a", Phase.GET);
    reportNothing(1000);
    bench.tracker.startRequest("a", Phase.GET).onFailure(NodeLoadRecorder.Failure.REJECTED);
    assertThat(state.loadEstimate().queueSize()).isPositive();
    reportNothing(100_000);
    assertThat(state.loadEstimate().queueSize()).isZero();
    bench.tracker.startRequest("a", Phase.GET).onFailure(NodeLoadRecorder.Failure.REJECTED);
    assertThat(state.load(bench.now())).as("not what was sent since the first").isLessThan(200);
  }

  private void reportNothing(int responses) {
    for (int i = 0; i < responses; i++) {
      NodeLoadRecorder.OutstandingRequest sent = bench.tracker.startRequest("a", Phase.GET);
      bench.pass(1);
      sent.onResponse(-1, 0);
    }
  }

  @Test
  void tryAnEjectedNodeLast() {
    warmAll();
    for (int i = 0; i < 3; i++) {
      bench.send("bad").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    assertThat(bench.order("bad", "a")).containsExactly("a", "bad");
    for (int i = 0; i < 3; i++) {
      bench.send("a").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    assertThat(bench.order("bad", "a")).hasSize(2);
  }

  @Test
  void sendOneProbeAfterTheEjection() {
    warmAll();
    for (int i = 0; i < 3; i++) {
      bench.send("bad").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    bench.pass(700);
    assertThat(bench.first("bad", "a", "b")).isEqualTo("bad");
    bench.send("bad");
    assertThat(bench.first("bad", "a", "b")).isNotEqualTo("bad");
    bench.pass(700);
    assertThat(bench.first("bad", "a", "b")).as("twice as long").isNotEqualTo("bad");
    bench.pass(700);
    assertThat(bench.first("bad", "a", "b")).isEqualTo("bad");
  }

  @Test
  void takeOneProbeForEachRequest() {
    warmAll();
    eject("bad");
    eject("a");
    bench.pass(700);
    bench.answer("b", 5, 0, 5);
    String probed = bench.first("bad", "a", "b");
    bench.send(probed);
    String other = bench.first("bad", "a", "b");
    bench.send(other);
    assertThat(List.of(probed, other)).containsExactlyInAnyOrder("bad", "a");
    assertThat(bench.first("bad", "a", "b")).isEqualTo("b");
  }

  /** A node that refuses what comes is not silent, whatever has become of an older request. */
  @Test
  void endASilenceWithAnErrorResponse() {
    warmAll();
    bench.send("a");
    bench.pass(3000);
    assertThat(trust("a").silenceNanos()).isGreaterThan(2e9);
    bench.send("a").onFailure(NodeLoadRecorder.Failure.ERROR);
    assertThat(trust("a").silenceNanos()).isZero();
    bench.send("a").onFailure(NodeLoadRecorder.Failure.TIMEOUT);
    bench.pass(3000);
    assertThat(trust("a").silenceNanos()).as("since then").isBetween(2e9, 3e9);
    bench.send("a").onFailure(NodeLoadRecorder.Failure.TIMEOUT);
    assertThat(trust("a").silenceNanos()).as("no answer").isGreaterThan(2e9);
  }

  @Test
  void forgetAnAbandonedRequestWithAnErrorResponse() {
    warmAll();
    NodePhaseState state = bench.tracker.state("a", Phase.QUERY);
    NodeLoadRecorder.OutstandingRequest late = bench.send("a");
    NodeLoadRecorder.OutstandingRequest later = bench.send("a");
    bench.pass(3000);
    late.onAbandon();
    assertThat(state.oldestUnanswered()).isNotNull();
    bench.send("a").onFailure(NodeLoadRecorder.Failure.ERROR);
    later.onAbandon();
    assertThat(state.oldestUnanswered()).isNull();
  }

  @Test
  void restoreTheShareOfARecoveredNode() {
    warmAll();
    for (int i = 0; i < 3; i++) {
      bench.send("bad").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    long brokenAt = bench.now();
    int inARow = 0;
    int n = 0;
    while (inARow < 5 && n < 4000) {
      String first = bench.first("bad", "a", "b");
      inARow = first.equals("bad") ? inARow + 1 : 0;
      bench.answer(first, first.equals("bad") ? 1 : 5, 0, 1 + n++ * 1e-6);
    }
    assertThat(inARow).isEqualTo(5);
    assertThat((bench.now() - brokenAt) / 1e9).isLessThan(5);
  }

  private NodeLoadSnapshot.Health trust(String node) {
    return bench.tracker.snapshots().stream()
        .filter(view -> view.nodeId().equals(node) && view.phase() == Phase.QUERY)
        .findFirst()
        .orElseThrow()
        .health();
  }

  private void eject(String node) {
    for (int i = 0; i < 3; i++) {
      bench.send(node).onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
  }

  @Test
  void countsAsEjectedUntilARequestSucceeds() {
    warmAll();
    eject("bad");
    bench.pass(60_000);
    assertThat(trust("bad").ejected()).as("its time is over, nothing has tried it").isTrue();
    assertThat(trust("bad").ejectedNanos()).isZero();
    bench.answer("bad", 1, 0, 1);
    assertThat(trust("bad").ejected()).isFalse();
  }

  @Test
  void endAnEjectionWithAClientError() {
    warmAll();
    eject("bad");
    bench.pass(700);
    bench.send("bad").onResponseWithoutStats();
    assertThat(trust("bad").ejected()).isFalse();
    assertThat(trust("bad").samples()).as("samples after readmission").isZero();
  }

  @Test
  void ignoreFastClientErrorsInServiceTimes() {
    warmAll();
    NodePhaseState state = bench.tracker.state("a", Phase.QUERY);
    LoadEstimate before = state.loadEstimate();
    double residual = state.residualNanos(0);
    double response = state.c3Averages().responseNanos();
    for (int i = 0; i < 100; i++) {
      NodeLoadRecorder.OutstandingRequest sent = bench.send("a");
      bench.pass(1);
      sent.onResponseWithoutStats();
    }
    assertThat(state.loadEstimate().serviceNanos()).isEqualTo(before.serviceNanos());
    assertThat(state.loadEstimate().samples()).isEqualTo(before.samples());
    assertThat(state.residualNanos(0)).isEqualTo(residual);
    assertThat(state.c3Averages().responseNanos()).isEqualTo(response);
    assertThat(state.outstanding()).isZero();
  }

  @Test
  void countEachCallOfALostConnection() {
    warmAll();
    List<NodeLoadRecorder.OutstandingRequest> inFlight =
        List.of(bench.send("bad"), bench.send("bad"), bench.send("bad"));
    inFlight.forEach(call -> call.onFailure(NodeLoadRecorder.Failure.UNREACHABLE));
    for (Phase phase : Phase.values()) {
      assertThat(isEjected(phase)).as("in %s", phase).isTrue();
    }
  }

  @Test
  void countLossesOfOtherPhasesUntilTheNodeCanBeReached() {
    warmAll();
    for (int i = 0; i < 3; i++) {
      bench.send("bad").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
      bench.answer("bad", 1, 0, 1 + i * 1e-6);
    }
    assertThat(isEjected(Phase.WRITE)).isFalse();
    assertThat(isEjected(Phase.GET)).isFalse();
    eject("bad");
    assertThat(isEjected(Phase.WRITE)).isTrue();
    bench.tracker.startRequest("bad", Phase.GET).onResponseWithoutStats();
    assertThat(isEjected(Phase.WRITE)).isFalse();
    assertThat(isEjected(Phase.QUERY)).as("a query's own losses").isTrue();
  }

  @Test
  void keepAnEjectionByAPhasesOwnFailures() {
    warmAll();
    for (int i = 0; i < 3; i++) {
      bench.tracker.startRequest("bad", Phase.WRITE).onFailure(NodeLoadRecorder.Failure.TIMEOUT);
    }
    bench.send("bad").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    bench.answer("bad", 1, 0, 1);
    assertThat(isEjected(Phase.WRITE)).isTrue();
    assertThat(isEjected(Phase.GET)).isFalse();
  }

  private boolean isEjected(Phase phase) {
    return bench.tracker.state("bad", phase).failures().ejected();
  }

  @Test
  void ignoreFailuresOfAnEarlierNodeProcess() {
    warmAll();
    NodeLoadRecorder.OutstandingRequest[] old = {
      bench.send("bad"), bench.send("bad"), bench.send("bad")
    };
    bench.tracker.forget("bad");
    bench.answer("bad", 1, 0, 1);
    for (NodeLoadRecorder.OutstandingRequest one : old) {
      one.onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    assertThat(trust("bad").ejected()).isFalse();
  }

  @Test
  void tolerateOccasionalErrors() {
    warmAll();
    for (int i = 0; i < 200; i++) {
      bench.send("bad").onFailure(NodeLoadRecorder.Failure.ERROR);
      bench.answer("bad", 1, 0, 1 + i * 1e-6);
    }
    assertThat(bench.tracker.snapshots())
        .allSatisfy(view -> assertThat(view.health().ejected()).isFalse());
  }
}
