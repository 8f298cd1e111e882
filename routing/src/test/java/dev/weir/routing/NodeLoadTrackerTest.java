package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.model.Phase;
import dev.weir.routing.estimate.FailureHistory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class NodeLoadTrackerTest {
  private final SelectorFixture bench = new SelectorFixture(RoutingPolicies.PLAIN);

  private NodeLoadSnapshot view(String node) {
    return bench.tracker.snapshots().stream()
        .filter(view -> view.nodeId().equals(node) && view.phase() == Phase.QUERY)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void averagesWithAlpha() {
    bench.answer("a", 10, 10, 4);
    bench.answer("a", 20, 0, 8);
    NodeLoad load = view("a").load();
    assertThat(load.responseNanos()).isCloseTo(13e6, within(1.0));
    assertThat(load.serviceNanos()).isCloseTo(5.2e6, within(1.0));
    assertThat(load.queueSize()).isCloseTo(7, within(1e-9));
    assertThat(view("a").health().samples()).isEqualTo(2);
  }

  @Test
  void sentinelsChangeOnlyTheResponseTime() {
    bench.answer("a", 10, 3, 4);
    bench.answer("a", 10, -1, 0);
    bench.answer("a", 10, -1, -1e-6);
    NodeLoad load = view("a").load();
    assertThat(load.serviceNanos()).isEqualTo(4e6);
    assertThat(load.queueSize()).isCloseTo(3, within(0.1));
  }

  @Test
  void useTheResponseTimeWithoutAServiceTime() {
    bench.answer("a", 10, -1, 0);
    assertThat(view("a").load().serviceNanos()).isEqualTo(10e6);
  }

  @Test
  void treatARepeatedServiceTimeAsACachedResponse() {
    bench.answer("a", 10, 50, 4);
    bench.answer("a", 10, 0, 5);
    double queue = view("a").load().queueSize();
    bench.answer("a", 1, 50, 4);
    assertThat(view("a").load().queueSize()).isLessThanOrEqualTo(queue);
    assertThat(view("a").load().serviceNanos()).isCloseTo(4.3e6, within(1.0));
  }

  @Test
  void fadeTheReportedQueue() {
    bench.answer("a", 1, 100, 1);
    bench.pass(10_000);
    assertThat(view("a").load().queueSize()).isLessThan(1);
  }

  @Test
  void countARejectionAsAFullQueue() {
    bench.answer("a", 1, 0, 1);
    bench.send("a").onFailure(NodeLoadRecorder.Failure.REJECTED);
    assertThat(view("a").load().queueSize()).isGreaterThan(100);
    assertThat(view("a").load().errorRate()).isZero();
  }

  @Test
  void countOnlyTheFirstOutcome() {
    NodeLoadRecorder.OutstandingRequest sent = bench.send("a");
    assertThat(bench.tracker.outstanding()).isEqualTo(1);
    sent.onResponse(0, 1000);
    sent.onFailure(NodeLoadRecorder.Failure.ERROR);
    sent.onAbandon();
    sent.onResponse(0, 2000);
    assertThat(bench.tracker.outstanding()).isZero();
    assertThat(view("a").health().samples()).isEqualTo(1);
    assertThat(view("a").load().errorRate()).isZero();
  }

  private static final List<Phase> PHASES = List.of(Phase.values());
  private static final List<NodeLoadRecorder.Failure> FAILURES =
      List.of(NodeLoadRecorder.Failure.values());

  @Test
  void returnOutstandingToZeroForAnyOutcome() {
    Random random = new Random(3);
    List<NodeLoadRecorder.OutstandingRequest> sent = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      sent.add(bench.tracker.startRequest("n" + random.nextInt(4), PHASES.get(random.nextInt(4))));
      if (random.nextBoolean()) {
        settle(sent.remove(random.nextInt(sent.size())), random);
      }
      bench.pass(random.nextInt(3));
    }
    sent.forEach(open -> settle(open, random));
    assertThat(bench.tracker.outstanding()).isZero();
  }

  private static void settle(NodeLoadRecorder.OutstandingRequest open, Random random) {
    switch (random.nextInt(3)) {
      case 0 -> open.onResponse(random.nextInt(10) - 1, random.nextInt(1000) - 1);
      case 1 -> open.onFailure(FAILURES.get(random.nextInt(FAILURES.size())));
      default -> open.onAbandon();
    }
  }

  @Test
  void tolerateAResponseOfADroppedNode() {
    NodeLoadRecorder.OutstandingRequest sent = bench.send("a");
    bench.warm("b", 1);
    bench.tracker.retainOnly(Set.of("b"));
    assertThat(bench.tracker.snapshots()).extracting(NodeLoadSnapshot::nodeId).containsOnly("b");
    sent.onResponse(0, 1000);
    assertThat(bench.tracker.outstanding()).isZero();
    bench.tracker.forget("b");
    assertThat(bench.tracker.snapshots()).isEmpty();
  }

  @Test
  void phasesAreKeptApartButAConnectionIsNot() {
    bench.answer("a", 1, 0, 1);
    bench.send("a").onFailure(NodeLoadRecorder.Failure.ERROR);
    assertThat(bench.tracker.state("a", Phase.GET).failures()).isEqualTo(FailureHistory.NONE);
    bench.send("a").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    assertThat(bench.tracker.state("a", Phase.GET).failures().rate()).isPositive();
  }
}
