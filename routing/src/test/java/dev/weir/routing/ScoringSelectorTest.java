package dev.weir.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ScoringSelectorTest {
  private final SelectorFixture bench = new SelectorFixture(RoutingPolicies.PLAIN);

  @Test
  void ranksTheFasterNodeFirst() {
    bench.warm("slow", 20);
    bench.warm("fast", 2);
    assertThat(bench.order("slow", "fast")).containsExactly("fast", "slow");
  }

  @Test
  void ranksTheLessLoadedNodeFirst() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    bench.send("a");
    assertThat(bench.order("a", "b")).containsExactly("b", "a");
    bench.send("b");
    bench.send("b");
    assertThat(bench.order("a", "b")).containsExactly("a", "b");
  }

  @Test
  void preferAnotherNodeWhenTheFastOneIsLoaded() {
    bench.warm("slow", 8);
    bench.warm("fast", 2);
    List<String> chosen = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String node = bench.first("slow", "fast");
      chosen.add(node);
      bench.send(node);
    }
    assertThat(chosen).contains("slow", "fast").startsWith("fast");
  }

  @Test
  void initializingCopiesAreLast() {
    bench.warm("starting", 1);
    bench.warm("slow", 50);
    ShardCopy starting = new ShardCopy("starting", "x", false, true, Map.of());
    assertThat(bench.selector.order(List.of(starting, SelectorFixture.copy("slow")), Phase.QUERY))
        .extracting(ShardCopy::nodeId)
        .containsExactly("slow", "starting");
  }

  @Test
  void returnsTheSameCopiesInANewList() {
    List<ShardCopy> copies = SelectorFixture.copies("a", "b", "c");
    List<ShardCopy> ordered = bench.selector.order(copies, Phase.GET);
    assertThat(ordered).containsExactlyInAnyOrderElementsOf(copies).isNotSameAs(copies);
    assertThat(bench.selector.order(List.of(), Phase.GET)).isEmpty();
    assertThat(bench.selector.order(SelectorFixture.copies("a"), Phase.GET)).hasSize(1);
  }

  @Test
  void unknownNodesShareTheLoad() {
    Map<String, Integer> sent = new HashMap<>();
    for (int i = 0; i < 9; i++) {
      String node = bench.first("a", "b", "c");
      sent.merge(node, 1, Integer::sum);
      bench.send(node);
    }
    assertThat(sent)
        .containsOnlyKeys("a", "b", "c")
        .allSatisfy((n, c) -> assertThat(c).isEqualTo(3));
  }

  @Test
  void tryAnUnknownNodeWithoutFloodingIt() {
    bench.warm("a", 2);
    bench.warm("b", 2);
    int toNew = 0;
    for (int i = 0; i < 20; i++) {
      String node = bench.first("a", "b", "new");
      toNew += node.equals("new") ? 1 : 0;
      bench.send(node);
    }
    assertThat(toNew).isEqualTo(1);
  }

  @Test
  void sendMoreToAnUnknownNodeWithEachResponse() {
    bench.warm("a", 2);
    for (int i = 0; i < 3; i++) {
      bench.answer("new", 2, 0, 2 + i * 1e-6);
    }
    int toNew = 0;
    for (int i = 0; i < 40; i++) {
      String node = bench.first("a", "new");
      toNew += node.equals("new") ? 1 : 0;
      bench.send(node);
    }
    assertThat(toNew).isBetween(2, 8);
  }

  @Test
  void tryANodeWithOldStatisticsAgain() {
    bench.warm("paused", 400);
    bench.warm("good", 2);
    assertThat(bench.first("paused", "good")).isEqualTo("good");
    NodeLoadRecorder.OutstandingRequest busy = bench.send("good");
    assertThat(bench.first("paused", "good")).isEqualTo("good");
    int tries = 0;
    for (int second = 0; second < 60; second++) {
      bench.pass(999);
      tries += bench.first("paused", "good").equals("paused") ? 1 : 0;
      bench.answer("good", 1, 0, 2 + second * 1e-6);
    }
    busy.onAbandon();
    assertThat(tries).isPositive();
  }

  @Test
  void changeNothingByExplaining() {
    bench.warm("slow", 20);
    bench.warm("fast", 2);
    List<NodeLoadSnapshot> before = bench.tracker.snapshots();
    for (int i = 0; i < 1000; i++) {
      bench.order("slow", "fast");
    }
    assertThat(bench.tracker.snapshots()).isEqualTo(before);
  }

  @Test
  void raisingAnInputNeverImprovesTheRank() {
    for (double factor = 1.5; factor < 50; factor *= 1.5) {
      double slower = 4 * factor;
      int more = (int) factor;
      assertStaysLast(fresh -> fresh.warm("worse", slower));
      assertStaysLast(fresh -> fresh.answer("worse", slower, 0, 4.1));
      assertStaysLast(fresh -> fresh.answer("worse", 4, more, 4.1));
      assertStaysLast(fresh -> Stream.generate(() -> "worse").limit(more).forEach(fresh::send));
      assertStaysLast(fresh ->
          Stream.generate(() -> fresh.send("worse"))
              .limit(more)
              .forEach(sent -> sent.onFailure(NodeLoadRecorder.Failure.ERROR)));
    }
  }

  /** Raises an input of the worse of two nodes, both of which have just responded. */
  private static void assertStaysLast(Consumer<SelectorFixture> raise) {
    SelectorFixture fresh = new SelectorFixture(RoutingPolicies.PLAIN);
    fresh.warm("worse", 4);
    fresh.warm("better", 2);
    assertThat(fresh.order("worse", "better")).containsExactly("better", "worse");
    raise.accept(fresh);
    fresh.answer("better", 2, 0, 2.1);
    assertThat(fresh.order("worse", "better")).containsExactly("better", "worse");
  }

  @Test
  void jitterSpreadsEqualNodesAndLeavesUnequalOnes() {
    SelectorFixture jittered =
        new SelectorFixture(RoutingPolicies.of(RoutingPolicy.Algorithm.ADAPTIVE, 0.05));
    jittered.warm("a", 2);
    jittered.warm("b", 2);
    jittered.warm("slow", 10);
    Map<String, Integer> firsts = new HashMap<>();
    for (int i = 0; i < 1000; i++) {
      firsts.merge(jittered.first("a", "b", "slow"), 1, Integer::sum);
    }
    assertThat(firsts).containsOnlyKeys("a", "b");
    assertThat(firsts.get("a")).isBetween(300, 700);
  }
}
