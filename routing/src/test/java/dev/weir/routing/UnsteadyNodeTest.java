package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A node that stands still again and again must get little, and its share back afterwards. */
final class UnsteadyNodeTest {
  private final SelectorFixture bench = new SelectorFixture(RoutingPolicies.PLAIN);
  private double varied = 2;

  private void warmAll() {
    bench.warm("bad", 2);
    bench.warm("a", 2);
    bench.warm("b", 2);
  }

  /** Lets eight requests wait for a node that stands still, and then get their responses. */
  private void stall(String node, long millis, int queue) {
    List<NodeLoadRecorder.OutstandingRequest> waiting = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      waiting.add(bench.send(node));
    }
    bench.pass(millis);
    waiting.forEach(each -> each.onResponse(queue, nextServiceNanos()));
  }

  private long nextServiceNanos() {
    varied += 1e-6;
    return (long) (varied * 1e6);
  }

  private boolean mayWaitFor(String node) {
    return bench.selector.mayWaitFor(SelectorFixture.copy(node), Phase.QUERY);
  }

  @Test
  void rankItBehindSteadyNodes() {
    warmAll();
    for (int i = 0; i < 3; i++) {
      assertThat(mayWaitFor("bad")).isTrue();
      stall("bad", 40, 0);
    }
    assertThat(mayWaitFor("bad")).isFalse();
    assertThat(mayWaitFor("a")).isTrue();
    for (int i = 0; i < 60; i++) { // under load too
      bench.send("a");
      bench.send("b");
    }
    assertThat(bench.order("bad", "a", "b").getLast()).isEqualTo("bad");
    assertThat(
            bench
                .selector
                .selectForSend(SelectorFixture.copies("a", "bad", "b"), Phase.QUERY, 0, false)
                .nodeId())
        .isNotEqualTo("bad");
  }

  /** Such as one that has come back: the other copies answered while its JVM was cold. */
  @Test
  void askANodeAgainThatHasNeverRespondedInTime() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    NodeLoadRecorder.OutstandingRequest late = bench.send("new");
    othersAnswer(200);
    late.onAbandon();
    othersAnswer(1200);
    assertThat(mayWaitFor("new")).as("others are better for now").isFalse();
    int asked = 0;
    for (int i = 0; i < 4000; i++) { // four seconds
      String first = bench.first("new", "a", "b");
      asked += first.equals("new") ? 1 : 0;
      bench.answer(first, 1, 0, 2 + i * 1e-6);
    }
    assertThat(asked).as("requests to it").isGreaterThan(100);
    assertThat(mayWaitFor("new")).isTrue();
  }

  private void othersAnswer(int millis) {
    for (int passed = 0; passed < millis; passed += 4) {
      bench.answer("a", 2, 0, 2 + passed * 1e-6);
      bench.answer("b", 2, 0, 2 + passed * 1e-6);
    }
  }

  @Test
  void chargeNoSlownessAndNoQueueAsStalls() {
    warmAll();
    for (int i = 0; i < 6; i++) {
      stall("bad", 9, 0); // slow for requests of two milliseconds, yet no stall
      stall("a", 40, 200); // 13 threads take over 30 ms for so many
    }
    assertThat(mayWaitFor("bad")).isTrue();
    assertThat(mayWaitFor("a")).isTrue();
  }

  @Test
  void takeNoLatencyOfTheNetworkForStalls() {
    for (int i = 0; i < 40; i++) { // the node works for a millisecond of each 30
      bench.answer("bad", 30, 0, 1 + i * 1e-6);
      bench.answer("a", 2, 0, 2 + i * 1e-6);
    }
    for (int i = 0; i < 20; i++) { // alone on a quiet node, and two at once
      bench.pass(300);
      stallOf("bad", 1 + i % 2, 30 + i % 3);
    }
    assertThat(mayWaitFor("bad")).isTrue();
  }

  @Test
  void countTheResponsesAfterOnePauseAsOneStall() {
    warmAll();
    for (int i = 0; i < 2; i++) {
      stall("bad", 40, 0);
    }
    assertThat(mayWaitFor("bad")).isTrue();
  }

  @Test
  void countNoTimeWithErrorResponsesAsAStall() {
    warmAll();
    for (int i = 0; i < 6; i++) {
      List<NodeLoadRecorder.OutstandingRequest> waiting = new ArrayList<>();
      for (int n = 0; n < 8; n++) {
        waiting.add(bench.send("bad"));
      }
      for (int n = 0; n < 7; n++) {
        bench.pass(5);
        bench.send("bad").onFailure(NodeLoadRecorder.Failure.ERROR);
      }
      bench.pass(5);
      waiting.forEach(each -> each.onResponse(0, nextServiceNanos()));
    }
    assertThat(mayWaitFor("bad")).isTrue();
  }

  @Test
  void waitForNoNodeThatFailsWhereNoneIsSteady() {
    warmAll();
    for (int i = 0; i < 6; i++) {
      stall("a", 40, 0);
    }
    for (int i = 0; i < 3; i++) {
      bench.send("bad").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    assertThat(bench.selector.waitableCopies(SelectorFixture.copies("a", "bad"), Phase.QUERY))
        .isEqualTo(SelectorFixture.copies("a"));
    List<ShardCopy> probing = SelectorFixture.copies("bad", "a");
    assertThat(bench.selector.waitableCopies(probing, Phase.QUERY)).isEqualTo(probing);
    for (int i = 0; i < 3; i++) {
      bench.send("a").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    assertThat(bench.selector.waitableCopies(probing, Phase.QUERY))
        .as("all have failed")
        .isEqualTo(probing);
  }

  @Test
  void chooseAmongUnsteadyNodesWhereNoneIsSteady() {
    warmAll();
    for (int i = 0; i < 6; i++) {
      stall("a", 40, 0);
      stall("b", 40, 0);
    }
    List<ShardCopy> copies = SelectorFixture.copies("a", "b");
    assertThat(bench.selector.waitableCopies(copies, Phase.QUERY)).isEqualTo(copies);
    for (int i = 0; i < 30; i++) {
      bench.send("a");
    }
    assertThat(bench.selector.selectForSend(copies, Phase.QUERY, 0, false).nodeId()).isEqualTo("b");
  }

  @Test
  void rankANodeThatStandsStillNowBehindUnsteadyOnes() {
    warmAll();
    for (int i = 0; i < 6; i++) {
      stall("a", 40, 0);
      stall("b", 40, 0);
    }
    bench.send("bad").onAbandon();
    bench.send("bad");
    bench.pass(200);
    assertThat(mayWaitFor("bad")).as("it may respond soon").isTrue();
    bench.pass(1000);
    assertThat(mayWaitFor("bad")).isFalse();
    List<ShardCopy> copies = SelectorFixture.copies("bad", "a", "b");
    assertThat(bench.order("bad", "a", "b").getLast()).isEqualTo("bad");
    assertThat(bench.selector.selectForSend(copies, Phase.QUERY, 0, false).nodeId())
        .isNotEqualTo("bad");
    assertThat(bench.selector.waitableCopies(copies, Phase.QUERY)).isEqualTo(copies);
  }

  @Test
  void preferASteadyNodeThoughItIsBusy() {
    warmAll();
    for (int i = 0; i < 6; i++) {
      stall("bad", 40, 0);
    }
    for (int i = 0; i < 60; i++) {
      bench.send("a");
    }
    assertThat(bench.selector.peekPreferred(SelectorFixture.copies("a", "bad"), Phase.QUERY, 0))
        .isZero();
    assertThat(bench.selector.peekPreferred(SelectorFixture.copies("bad", "a"), Phase.QUERY, 0))
        .isEqualTo(1);
  }

  /** Lets some requests wait for a node, and then get their responses. */
  private void stallOf(String node, int requests, long millis) {
    List<NodeLoadRecorder.OutstandingRequest> waiting = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      waiting.add(bench.send(node));
    }
    bench.pass(millis);
    waiting.forEach(each -> each.onResponse(0, nextServiceNanos() / 2));
  }

  @Test
  void ignoreAPauseOfTheGateway() {
    bench.tracker.recordHeartbeat();
    warmAll();
    for (int i = 0; i < 6; i++) {
      bench.tracker.recordHeartbeat();
      List<NodeLoadRecorder.OutstandingRequest> waiting = new ArrayList<>();
      for (int n = 0; n < 8; n++) {
        waiting.add(bench.send("bad"));
      }
      bench.pass(2000);
      bench.tracker.recordHeartbeat();
      waiting.forEach(each -> each.onResponse(0, nextServiceNanos()));
    }
    assertThat(mayWaitFor("bad")).isTrue();
  }

  @Test
  void testItAndReturnToItWithinASecond() {
    warmAll();
    for (int i = 0; i < 6; i++) {
      stall("bad", 40, 0);
    }
    long from = bench.now();
    int tests = 0;
    while (!mayWaitFor("bad") && bench.now() - from < 5_000_000_000L) {
      String first = bench.first("bad", "a", "b");
      tests += first.equals("bad") ? 1 : 0;
      bench.answer(first, 2, 0, nextServiceNanos() / 1e6);
    }
    assertThat(tests).isBetween(2, 6);
    assertThat(bench.now() - from).isLessThan(1_000_000_000L);
  }
}
