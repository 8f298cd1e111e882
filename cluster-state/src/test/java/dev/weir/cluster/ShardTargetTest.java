package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.ReplicaSelector;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.core.index.shard.ShardId;

/** Copies in several tiers, some of them on drained nodes or on nodes that can't answer. */
final class ShardTargetTest {
  private static final ShardCopy STARTING =
      new ShardCopy("starting", "alloc-starting", false, true, Map.of());

  /** Keeps the order of the copies. */
  private record Selector(Set<String> drained, Set<String> failed) implements ReplicaSelector {
    @Override
    public void order(ShardCopy[] copies, int count, Phase phase) {
      // as they are
    }

    @Override
    public boolean isDrained(String nodeId) {
      return drained.contains(nodeId);
    }

    @Override
    public boolean canAnswer(ShardCopy copy, Phase phase) {
      return !failed.contains(copy.nodeId());
    }
  }

  private static ShardCopy copy(String node) {
    return new ShardCopy(node, "alloc-" + node, false, false, Map.of());
  }

  private static List<ShardCopy> tier(String... nodes) {
    return List.of(nodes).stream().map(ShardTargetTest::copy).toList();
  }

  private static ShardTarget target(boolean canFallBack, List<List<ShardCopy>> tiers) {
    return new ShardTarget(new ShardId("logs", "uuid", 0), tiers, canFallBack);
  }

  private static List<String> order(
      ShardTarget target, Set<String> drained, Set<String> failed, List<String> interchangeable) {
    List<ShardCopy> ordered = target.order(new Selector(drained, failed), NodeCallType.HITS);
    assertThat(target.interchangeableCopies(ordered))
        .as("interchangeable")
        .extracting(ShardCopy::nodeId)
        .isEqualTo(interchangeable);
    return ordered.stream().map(ShardCopy::nodeId).toList();
  }

  @Test
  void tiersKeepTheirOrderWhileNoNodeIsDrained() {
    ShardTarget target = target(false, List.of(tier("a", "b"), tier("c"), List.of(STARTING)));
    assertThat(order(target, Set.of(), Set.of("a"), List.of("a", "b")))
        .containsExactly("a", "b", "c", "starting");
  }

  @Test
  void aDrainedNodeFollowsTheNextTierWhichIsNotInterchangeable() {
    ShardTarget target = target(false, List.of(tier("b", "a"), tier("c"), List.of(STARTING)));
    assertThat(order(target, Set.of("a"), Set.of(), List.of()))
        .containsExactly("b", "c", "a", "starting");
    ShardTarget three = target(false, List.of(tier("b", "d", "a"), tier("c")));
    assertThat(order(three, Set.of("a"), Set.of(), List.of("b", "d")))
        .containsExactly("b", "d", "c", "a");
  }

  @Test
  void aDrainedNodePrecedesWhatCantAnswer() {
    ShardTarget target = target(false, List.of(tier("a"), tier("b"), List.of(STARTING)));
    assertThat(order(target, Set.of("a"), Set.of("b"), List.of()))
        .containsExactly("a", "b", "starting");
    assertThat(order(target, Set.of("a"), Set.of(), List.of()))
        .containsExactly("b", "a", "starting");
    assertThat(
            order(
                target(false, List.of(tier("a"), List.of(STARTING))),
                Set.of("a"),
                Set.of(),
                List.of()))
        .containsExactly("a", "starting");
  }

  @Test
  void theFirstOfATierMayBeATestOfItsNode() {
    ShardTarget target = target(false, List.of(tier("b", "a"), tier("c")));
    assertThat(order(target, Set.of("a"), Set.of("b"), List.of())).containsExactly("b", "c", "a");
  }

  @Test
  void theChosenTierStaysFirst() {
    ShardTarget target = target(true, List.of(tier("b", "a"), tier("c")));
    assertThat(order(target, Set.of("a"), Set.of(), List.of())).containsExactly("b", "c", "a");
    assertThat(order(target, Set.of(), Set.of(), List.of("b", "a"))).containsExactly("b", "a", "c");
  }
}
