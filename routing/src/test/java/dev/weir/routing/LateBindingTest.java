package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LateBindingTest {
  private final Bench bench = new Bench(Policies.PLAIN);
  private final LateBinding<String> late =
      new LateBinding<>(bench.tracker, Policies.PLAIN, bench.selector, bench::now);

  private static ShardCopy[] copies() {
    return Bench.copies("a", "b").toArray(new ShardCopy[0]);
  }

  private List<NodeLoads.Outstanding> fill() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    List<NodeLoads.Outstanding> sent = new ArrayList<>();
    ShardCopy copy = late.offer("first", copies(), 0, 0);
    while (copy != null && sent.size() < 1000) {
      sent.add(bench.send(copy.nodeId()));
      copy = late.offer("r" + sent.size(), copies(), 0, 0);
    }
    return sent;
  }

  @Test
  void keepsWhatNoNodeHasRoomFor() {
    assertThat(fill()).hasSize(2 * 17);
    assertThat(late.waiting()).isEqualTo(1);
    assertThat(late.next("a")).isNull();
  }

  @Test
  void bindsAWaitingRequestWhenANodeAnswered() {
    List<NodeLoads.Outstanding> sent = fill();
    NodeLoads.Outstanding answered = sent.getFirst();
    answered.replied(0, 2_000_001);
    late.answered(answered, 0);
    LateBinding.Bound<String> bound = late.next("a");
    bound = bound == null ? late.next("b") : bound;
    assertThat(bound).isNotNull();
    assertThat(late.waiting()).isZero();
    assertThat(late.next("a")).isNull();
  }

  @Test
  void aCheapRequestOvertakesHeavyOnes() {
    for (int i = 0; i < 200; i++) {
      answer(1, 40, i);
      answer(0, 2, i);
    }
    List<NodeLoads.Outstanding> sent = fill();
    late.offer("heavy", copies(), 7, 1);
    late.offer("cheap", copies(), 8, 0);
    List<String> order = new ArrayList<>();
    for (NodeLoads.Outstanding open : sent) {
      open.replied(0, 2_000_000L + order.size());
      late.answered(open, 0);
      for (String node : List.of("a", "b")) {
        LateBinding.Bound<String> bound = late.next(node);
        while (bound != null) {
          order.add(bound.request());
          bound = late.next(node);
        }
      }
    }
    assertThat(order).hasSize(3).endsWith("cheap", "heavy");
  }

  private void answer(int costClass, long millis, int i) {
    for (String node : List.of("a", "b")) {
      NodeLoads.Outstanding sent = bench.tracker.begin(node, Phase.QUERY, costClass);
      bench.pass(millis);
      sent.replied(0, 2_000_000L + 2L * i + costClass);
    }
  }
}
