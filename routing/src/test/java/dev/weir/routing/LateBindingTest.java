package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LateBindingTest {
  private static final long DISTINCT = 1_000;

  private final Bench bench = new Bench(Policies.binding(true, 3, Duration.ofMillis(500)));
  private final List<Place<String>> bound = new ArrayList<>();
  private final LateBinding<String> late =
      new LateBinding<>(bench.tracker, bench.selector, bench::now, bound::add);
  private final List<NodeLoads.Outstanding> sent = new ArrayList<>();

  private Place<String> offer(String name, int costClass, String... nodes) {
    List<ShardCopy> copies = bench.selector.order(Bench.copies(nodes), Phase.QUERY, costClass);
    Place<String> place = late.offer(name, copies, Phase.QUERY, costClass, true, bench.requests());
    ShardCopy copy = place.copy();
    if (copy != null) {
      sent.add(bench.tracker.begin(copy.nodeId(), Phase.QUERY, costClass));
    }
    return place;
  }

  /** Sends until a request waits; returns that one. */
  private Place<String> fill() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    bench.pass(100);
    Place<String> place = offer("first", 0, "a", "b");
    while (place.copy() != null && sent.size() < 1000) {
      place = offer("r" + sent.size(), 0, "a", "b");
    }
    return place;
  }

  private void answerOne() {
    sent.removeFirst().replied(0, 2_000_000 + DISTINCT * sent.size());
  }

  private List<String> names() {
    return bound.stream().map(Place::request).toList();
  }

  @Test
  void keepsWhatNoNodeHasRoomFor() {
    fill();
    assertThat(sent).hasSize(2 * 17);
    assertThat(late.waiting()).isEqualTo(1);
    late.tick();
    assertThat(bound).isEmpty();
  }

  @Test
  void aPlaceIsToldAsItWasWhenItWasOffered() {
    Place<String> waiting = fill();
    answerOne();
    assertThat(waiting.copy()).as("bound meanwhile").isNotNull();
    assertThat(waiting.copyAtOnce()).as("but not when it was offered").isNull();
  }

  @Test
  void shardsOfOneSearchGoWhereTheOthersDidNot() {
    bench.use(Policies.PLAIN);
    bench.warm("a", 2);
    bench.warm("b", 2.4);
    List<ShardCopy> planned = bench.selector.order(Bench.copies("a", "b"), Phase.QUERY);
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
    List<ShardCopy> copies = Bench.copies("a", "b");
    assertThat(late.now(copies, Phase.QUERY, 0, bench.requests(), "b"::equals))
        .isEqualTo(copies.get(1));
    assertThat(late.now(copies, Phase.QUERY, 0, bench.requests(), node -> false)).isNull();
    assertThat(late.waiting()).isZero();
  }

  @Test
  void anEjectedNodeIsNoWayOutForWantOfAnother() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    for (int i = 0; i < 3; i++) {
      bench.send("a").failed(NodeLoads.Failure.UNREACHABLE);
    }
    List<ShardCopy> copies = Bench.copies("a", "b");
    assertThat(late.now(copies, Phase.QUERY, 0, bench.requests(), "a"::equals)).isNull();
    assertThat(late.now(copies, Phase.QUERY, 0, bench.requests(), node -> true))
        .isEqualTo(copies.get(1));
    ShardCopy tried =
        late.offer("probe", copies, Phase.QUERY, 0, true, bench.requests()).copyAtOnce();
    assertThat(tried).as("put first to be tried out").isEqualTo(copies.getFirst());
    ShardCopy later =
        late.offer("later", copies, Phase.QUERY, 0, false, bench.requests()).copyAtOnce();
    assertThat(later).as("ordered before it was ejected").isEqualTo(copies.get(1));
  }

  @Test
  void bindsAWaitingRequestWhenANodeAnswered() {
    Place<String> waiting = fill();
    answerOne();
    assertThat(bound).containsExactly(waiting);
    assertThat(late.waiting()).isZero();
    assertThat(late.sending(waiting)).isTrue();
    assertThat(late.sending(waiting)).as("once").isFalse();
    assertThat(late.totals().waited()).isEqualTo(1);
  }

  @Test
  void keepsRoomForWhatIsBoundUntilItIsSent() {
    Place<String> first = fill();
    offer("next", 0, "a", "b");
    answerOne();
    late.tick();
    assertThat(bound).as("the room is promised").containsExactly(first);
    late.leave(first);
    assertThat(names()).as("and free again").endsWith("next").hasSize(2);
  }

  @Test
  void servesFirstComeFirstServed() {
    fill();
    offer("second", 0, "b", "a");
    offer("third", 0, "a", "b");
    for (int i = 0; i < 3; i++) {
      answerOne();
      bound.forEach(late::sending);
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
      bound.forEach(late::sending);
    }
    assertThat(names()).hasSize(3).endsWith("cheap", "heavy");
  }

  private void answer(int costClass, long millis, int i) {
    for (String node : List.of("a", "b")) {
      NodeLoads.Outstanding one = bench.tracker.begin(node, Phase.QUERY, costClass);
      bench.pass(millis);
      one.replied(0, 2_000_000L + 2L * i + costClass);
    }
  }

  @Test
  void whatDoesNotFitIsSentAtOnce() {
    fill();
    offer("second", 0, "a", "b");
    offer("third", 0, "b", "a");
    assertThat(late.waiting()).isEqualTo(3);
    assertThat(offer("fourth", 0, "a", "b").copy()).isNotNull();
    assertThat(late.waiting()).isEqualTo(3);
    assertThat(late.totals().unfit()).isEqualTo(1);
  }

  @Test
  void whatWaitedTooLongIsSentWithoutRoom() {
    Place<String> waiting = fill();
    bench.pass(499);
    late.tick();
    assertThat(bound).isEmpty();
    bench.pass(1);
    late.tick();
    assertThat(bound).containsExactly(waiting);
    assertThat(late.totals().expired()).isEqualTo(1);
  }

  @Test
  void whatIsGivenUpLeaves() {
    Place<String> waiting = fill();
    late.leave(waiting);
    assertThat(late.waiting()).isZero();
    answerOne();
    assertThat(bound).isEmpty();
    assertThat(late.sending(waiting)).isFalse();
  }

  @Test
  void whatWaitsForADepartedNodeGoesToItsOtherCopies() {
    Place<String> waiting = fill();
    bench.tracker.retainOnly(Set.of("b"));
    late.retainOnly(Set.of("b"));
    sent.forEach(one -> one.failed(NodeLoads.Failure.UNREACHABLE));
    late.tick();
    bench.pass(500);
    late.tick();
    assertThat(bound).containsExactly(waiting);
    assertThat(waiting.copy()).isEqualTo(Bench.copy("b"));
  }

  @Test
  void whatHasNoCopyLeftIsLetGo() {
    Place<String> waiting = fill();
    late.retainOnly(Set.of("c"));
    assertThat(bound).containsExactly(waiting);
    assertThat(late.waiting()).isZero();
  }

  @Test
  void whatWaitsGoesOnByThePolicyThatItCameWith() {
    Place<String> waiting = fill();
    bench.use(Policies.binding(false, 3, Duration.ofMillis(500)));
    late.tick();
    assertThat(bound).isEmpty();
    assertThat(offer("second", 0, "a", "b").copy()).as("one that came after it").isNotNull();
    bench.pass(501);
    late.tick();
    assertThat(bound).containsExactly(waiting);
    assertThat(late.waiting()).isZero();
  }

  @Test
  void otherPoliciesBindAtOnce() {
    fill();
    bench.use(Policies.of(dev.weir.config.policy.RoutingPolicy.Choice.ROUND_ROBIN, 0));
    for (int i = 0; i < 50; i++) {
      assertThat(offer("r", 0, "a", "b").copy()).isNotNull();
    }
  }

  @Test
  void doesNotWaitForAnEjectedNode() {
    bench.warm("a", 2);
    for (int i = 0; i < 3; i++) {
      bench.send("b").failed(NodeLoads.Failure.UNREACHABLE);
    }
    Place<String> place = offer("first", 0, "a", "b");
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
        bench.send(node).failed(NodeLoads.Failure.UNREACHABLE);
      }
    }
    for (int i = 0; i < 100; i++) {
      assertThat(offer("r", 0, "a", "b").copy()).isNotNull();
    }
  }
}
