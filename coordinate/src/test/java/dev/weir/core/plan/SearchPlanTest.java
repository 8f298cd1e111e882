package dev.weir.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.core.plan.SearchPlan.SearchRules;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SearchPlanTest {
  private static final SearchRules RULES = new SearchRules(5, true, false, true);

  private static List<ShardCopy> copies(String... nodes) {
    return Stream.of(nodes).map(node -> new ShardCopy(node, "", false, false, Map.of())).toList();
  }

  @Test
  void choosesAmongPreferredNodesAndKeepsTheOthers() {
    SearchPlan plan =
        new SearchPlan(
            List.of(
                new PlannedShard(
                    0,
                    List.of("n1", "n2", "n3", "n4"),
                    false,
                    copies("n1", "n2", "n3"),
                    ShardRoutingRecorder.NONE)),
            RULES);
    PlannedShard changed =
        plan.withNodesFirst(Set.of("n2", "n3", "n4")::contains).shards().getFirst();
    assertThat(changed.nodeIds()).containsExactly("n2", "n3", "n1", "n4");
    assertThat(changed.interchangeable()).isEqualTo(copies("n2", "n3"));
    assertThat(plan.withNodesFirst(node -> false)).isSameAs(plan);
    assertThat(plan.withNodesFirst(node -> true)).isSameAs(plan);
  }

  @Test
  void triesCopiesOnNodesToAvoidLast() {
    SearchPlan plan =
        new SearchPlan(
            List.of(
                new PlannedShard(
                    0,
                    List.of("n1", "n2", "n3"),
                    false,
                    copies("n1", "n2"),
                    ShardRoutingRecorder.NONE),
                new PlannedShard(1, List.of("n2", "n3"), true),
                new PlannedShard(2, List.of("n1"), false)),
            RULES);
    assertThat(plan.withNodesLast(Set.of()).shards()).isSameAs(plan.shards());
    assertThat(plan.withNodesLast(Set.of("n1")))
        .isEqualTo(
            new SearchPlan(
                List.of(
                    new PlannedShard(
                        0,
                        List.of("n2", "n3", "n1"),
                        false,
                        copies("n2"),
                        ShardRoutingRecorder.NONE),
                    new PlannedShard(1, List.of("n2", "n3"), true),
                    new PlannedShard(2, List.of("n1"), false)),
                RULES));
  }
}
