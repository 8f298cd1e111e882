package dev.weir.core.actions.warmup;

import static dev.weir.core.actions.warmup.WarmUpStates.INDEX;
import static dev.weir.core.actions.warmup.WarmUpStates.SHARD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.core.actions.warmup.NewCopies.NewCopy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.routing.ShardRouting;

/** Which copies count as new. */
class NewCopiesTest {
  private final WarmUpStates states = new WarmUpStates("a", "b", "c");

  private static List<NewCopy> find(ClusterView before, ClusterView now) {
    return NewCopies.find(before, now, List.of(INDEX));
  }

  @Test
  void aReplicaThatStarts() {
    states.start("a");
    ShardRouting replica = states.initialize("b");
    ClusterView before = states.view();
    String id = states.start(replica);
    ClusterView now = states.view();
    assertThat(find(before, now)).containsExactly(new NewCopy(SHARD, "b", id));
    assertThat(find(now, states.view())).as("only once").isEmpty();
    assertThat(NewCopies.find(before, now, List.of())).as("of an index to ignore").isEmpty();
    assertThat(NewCopies.isStarted(new NewCopy(SHARD, "b", id), now)).isTrue();
    assertThat(NewCopies.isStarted(new NewCopy(SHARD, "b", id), before)).isFalse();
  }

  @Test
  void theOnlyCopyIsNone() {
    states.start("a");
    ClusterView before = states.view();
    states.removeCopies("a");
    states.start("b");
    assertThat(find(before, states.view())).isEmpty();
  }

  @Test
  void aCopyThatMoved() {
    states.start("a");
    states.start("b");
    ClusterView before = states.view();
    states.removeCopies("b");
    String moved = states.start("c");
    assertThat(find(before, states.view())).containsExactly(new NewCopy(SHARD, "c", moved));
  }

  @Test
  void copiesOfANodeThatRestartedBetweenTwoViews() {
    states.start("a");
    String there = states.start("b");
    ClusterView before = states.view();
    states.restart("b");
    assertThat(find(before, states.view())).containsExactly(new NewCopy(SHARD, "b", there));
  }

  @Test
  void noCopiesOfTheFirstViewOrOfAnotherCluster() {
    states.start("a");
    states.start("b");
    ClusterView first = states.view();
    assertThat(find(ClusterView.empty(0), first)).isEmpty();
    states.rebuildCluster();
    states.restart("b");
    assertThat(find(first, states.view())).isEmpty();
  }
}
