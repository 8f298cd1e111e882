package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LateBindingQueueTest {
  private static final long DISTINCT = 1_000;

  private final SelectorFixture bench =
      new SelectorFixture(RoutingPolicies.binding(true, 3, Duration.ofMillis(500)));
  private final List<CopyAssignment<String>> bound = new ArrayList<>();
  private final LateBindingQueue<String> late =
      new LateBindingQueue<>(bench.tracker, bench.selector, bench::now, bound::add);
  private final List<NodeLoadRecorder.OutstandingRequest> sent = new ArrayList<>();

  private CopyAssignment<String> offer(String name, int costClass, String... nodes) {
    List<ShardCopy> copies =
        bench.selector.order(SelectorFixture.copies(nodes), Phase.QUERY, costClass);
    CopyAssignment<String> place =
        late.offer(name, copies, Phase.QUERY, costClass, true, bench.requests());
    ShardCopy copy = place.copy();
    if (copy != null) {
      sent.add(bench.tracker.startRequest(copy.nodeId(), Phase.QUERY, costClass));
    }
    return place;
  }

  /** Sends until a request waits; returns that one. */
  private CopyAssignment<String> fill() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    bench.pass(100);
    CopyAssignment<String> place = offer("first", 0, "a", "b");
    while (place.copy() != null && sent.size() < 1000) {
      place = offer("r" + sent.size(), 0, "a", "b");
    }
    return place;
  }

  private void answerOne() {
    sent.removeFirst().onResponse(0, 2_000_000 + DISTINCT * sent.size());
  }

  private List<String> names() {
    return bound.stream().map(CopyAssignment::request).toList();
  }

  @Test
  void keepsWhatNoNodeHasRoomFor() {
    fill();
    assertThat(sent).hasSize(2 * 17);
    assertThat(late.waitingCount()).isEqualTo(1);
    late.tick();
    assertThat(bound).isEmpty();
  }

  @Test
  void aPlaceIsToldAsItWasWhenItWasOffered() {
    CopyAssignment<String> waiting = fill();
    answerOne();
    assertThat(waiting.copy()).as("bound meanwhile").isNotNull();
    assertThat(waiting.immediateCopy()).as("but not when it was offered").isNull();
  }

  @Test
  void shardsOfOneSearchGoWhereTheOthersDidNot() {
    bench.use(RoutingPolicies.PLAIN);
    bench.warm("a", 2);
    bench.warm("b", 2.4);
    List<ShardCopy> planned = bench.selector.order(SelectorFixture.copies("a", "b"), Phase.QUERY);
    assertThat(planned.getFirst().nodeId()).isEqualTo("a");
    int onSlower = 0;
    for (int shard = 0; shard < 20; shard++) {
      ShardCopy copy = late.offer("shard", planned, Phase.QUERY, 0, true, bench.requests()).copy();
      if (copy == null) {
        throw new AssertionError("shard " + shard + " waits (expected: it is sent at once)");
      }
      bench.send(copy.nodeId());
      onSlower += copy.nodeId().equals("b") ? 1 : 0;
    }
    assertThat(onSlower).isBetween(5, 15);
  }

  @Test
  void choosesAmongTheNodesThatItMayGoTo() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    List<ShardCopy> copies = SelectorFixture.copies("a", "b");
    assertThat(late.chooseNow(copies, Phase.QUERY, 0, bench.requests(), "b"::equals))
        .isEqualTo(copies.get(1));
    assertThat(late.chooseNow(copies, Phase.QUERY, 0, bench.requests(), node -> false)).isNull();
    assertThat(late.waitingCount()).isZero();
  }

  @Test
  void anEjectedNodeIsNoWayOutForWantOfAnother() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    for (int i = 0; i < 3; i++) {
      bench.send("a").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    List<ShardCopy> copies = SelectorFixture.copies("a", "b");
    assertThat(late.chooseNow(copies, Phase.QUERY, 0, bench.requests(), "a"::equals)).isNull();
    assertThat(late.chooseNow(copies, Phase.QUERY, 0, bench.requests(), node -> true))
        .isEqualTo(copies.get(1));
    ShardCopy tried =
        late.offer("probe", copies, Phase.QUERY, 0, true, bench.requests()).immediateCopy();
    assertThat(tried).as("put first to be tried out").isEqualTo(copies.getFirst());
    ShardCopy later =
        late.offer("later", copies, Phase.QUERY, 0, false, bench.requests()).immediateCopy();
    assertThat(later).as("ordered before it was ejected").isEqualTo(copies.get(1));
  }

  @Test
  void bindsAWaitingRequestWhenANodeAnswered() {
    CopyAssignment<String> waiting = fill();
    answerOne();
    assertThat(bound).containsExactly(waiting);
    assertThat(late.waitingCount()).isZero();
    assertThat(late.startSending(waiting)).isTrue();
    assertThat(late.startSending(waiting)).as("once").isFalse();
    assertThat(late.totals().delayedRequests()).isEqualTo(1);
  }

  @Test
  void keepsRoomForWhatIsBoundUntilItIsSent() {
    CopyAssignment<String> first = fill();
    offer("next", 0, "a", "b");
    answerOne();
    late.tick();
    assertThat(bound).as("the room is promised").containsExactly(first);
    late.abandon(first);
    assertThat(names()).as("and free again").endsWith("next").hasSize(2);
  }

  @Test
  void servesFirstComeFirstServed() {
    fill();
    offer("second", 0, "b", "a");
    offer("third", 0, "a", "b");
    for (int i = 0; i < 3; i++) {
      answerOne();
      bound.forEach(late::startSending);
    }
    assertThat(names().subList(1, 3)).containsExactly("second", "third");
  }

  @Test
  void aCheapRequestOvertakesHeavyOnes() {
    for (int i = 0; i < 200; i++) {
      answer(1, 40, i);
      answer(0, 2, i);
    }
    fill();
    offer("heavy", 1, "a", "b");
    offer("cheap", 0, "a", "b");
    for (int i = 0; i < 3; i++) {
      answerOne();
      bound.forEach(late::startSending);
    }
    assertThat(names()).hasSize(3).endsWith("cheap", "heavy");
  }

  private void answer(int costClass, long millis, int i) {
    for (String node : List.of("a", "b")) {
      NodeLoadRecorder.OutstandingRequest one =
          bench.tracker.startRequest(node, Phase.QUERY, costClass);
      bench.pass(millis);
      one.onResponse(0, 2_000_000L + 2L * i + costClass);
    }
  }

  @Test
  void whatDoesNotFitIsSentAtOnce() {
    fill();
    offer("second", 0, "a", "b");
    offer("third", 0, "b", "a");
    assertThat(late.waitingCount()).isEqualTo(3);
    assertThat(offer("fourth", 0, "a", "b").copy()).isNotNull();
    assertThat(late.waitingCount()).isEqualTo(3);
    assertThat(late.totals().overflowRequests()).isEqualTo(1);
  }

  @Test
  void whatWaitedTooLongIsSentWithoutRoom() {
    CopyAssignment<String> waiting = fill();
    bench.pass(499);
    late.tick();
    assertThat(bound).isEmpty();
    bench.pass(1);
    late.tick();
    assertThat(bound).containsExactly(waiting);
    assertThat(late.totals().expiredRequests()).isEqualTo(1);
  }

  @Test
  void whatIsGivenUpLeaves() {
    CopyAssignment<String> waiting = fill();
    late.abandon(waiting);
    assertThat(late.waitingCount()).isZero();
    answerOne();
    assertThat(bound).isEmpty();
    assertThat(late.startSending(waiting)).isFalse();
  }

  @Test
  void whatWaitsForADepartedNodeGoesToItsOtherCopies() {
    CopyAssignment<String> waiting = fill();
    bench.tracker.retainOnly(Set.of("b"));
    late.retainOnly(Set.of("b"));
    sent.forEach(one -> one.onFailure(NodeLoadRecorder.Failure.UNREACHABLE));
    late.tick();
    bench.pass(500);
    late.tick();
    assertThat(bound).containsExactly(waiting);
    assertThat(waiting.copy()).isEqualTo(SelectorFixture.copy("b"));
  }

  @Test
  void whatHasNoCopyLeftIsLetGo() {
    CopyAssignment<String> waiting = fill();
    late.retainOnly(Set.of("c"));
    assertThat(bound).containsExactly(waiting);
    assertThat(late.waitingCount()).isZero();
  }

  @Test
  void whatWaitsGoesOnByThePolicyThatItCameWith() {
    CopyAssignment<String> waiting = fill();
    bench.use(RoutingPolicies.binding(false, 3, Duration.ofMillis(500)));
    late.tick();
    assertThat(bound).isEmpty();
    assertThat(offer("second", 0, "a", "b").copy()).as("one that came after it").isNotNull();
    bench.pass(501);
    late.tick();
    assertThat(bound).containsExactly(waiting);
    assertThat(late.waitingCount()).isZero();
  }

  @Test
  void otherPoliciesBindAtOnce() {
    fill();
    bench.use(RoutingPolicies.of(dev.weir.config.policy.RoutingPolicy.Algorithm.ROUND_ROBIN, 0));
    for (int i = 0; i < 50; i++) {
      assertThat(offer("r", 0, "a", "b").copy()).isNotNull();
    }
  }

  @Test
  void doesNotWaitForAnEjectedNode() {
    bench.warm("a", 2);
    for (int i = 0; i < 3; i++) {
      bench.send("b").onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
    }
    CopyAssignment<String> place = offer("first", 0, "a", "b");
    while (place.copy() != null && sent.size() < 1000) {
      place = offer("r" + sent.size(), 0, "a", "b");
    }
    assertThat(sent).as("all to a, none to b").hasSize(17);
    answerOne();
    assertThat(bound).hasSize(1);
  }

  @Test
  void whereAllAreEjectedNothingWaits() {
    for (String node : List.of("a", "b")) {
      for (int i = 0; i < 3; i++) {
        bench.send(node).onFailure(NodeLoadRecorder.Failure.UNREACHABLE);
      }
    }
    for (int i = 0; i < 100; i++) {
      assertThat(offer("r", 0, "a", "b").copy()).isNotNull();
    }
  }
}
