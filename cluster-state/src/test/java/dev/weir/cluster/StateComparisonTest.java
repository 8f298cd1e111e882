package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StateComparisonTest {
  private static final ClusterView VIEW =
      new ClusterView(ClusterStates.ofNodes(2).build(3, 10), java.util.Map.of(), 0, false);

  @ParameterizedTest
  @CsvSource({
    "cluster-uuid, 3, 10, UNKNOWN, SAME",
    "cluster-uuid, 3, 10, ELECTED, SAME",
    "cluster-uuid, 3, 10, NONE, NO_CLUSTER_MANAGER",
    "cluster-uuid, 3, 11, UNKNOWN, NEWER",
    "cluster-uuid, 4, 10, UNKNOWN, NEWER",
    "cluster-uuid, 4, 9, UNKNOWN, NEWER",
    "cluster-uuid, 3, 9, UNKNOWN, BEHIND",
    "cluster-uuid, 2, 99, UNKNOWN, BEHIND",
    "another, 3, 10, UNKNOWN, FOREIGN",
    "another, 9, 99, ELECTED, FOREIGN",
    "_na_, 0, 0, NONE, NOT_JOINED"
  })
  void compareANodesStateWithTheView(
      String uuid,
      long term,
      long version,
      StateProbe.ClusterManagerState manager,
      StateComparison expected) {
    StateProbe vitals = new StateProbe("test", uuid, new StatePosition(term, version), manager);

    assertThat(StateComparison.compare(vitals, VIEW, ClusterStates.CLUSTER_UUID))
        .isEqualTo(expected);
  }

  @Test
  void takesAnyClusterWhenNoneIsFollowedYet() {
    StateProbe vitals =
        new StateProbe(
            "any", "any", new StatePosition(1, 1), StateProbe.ClusterManagerState.ELECTED);

    assertThat(StateComparison.compare(vitals, ClusterView.empty(0), ""))
        .isEqualTo(StateComparison.NEWER);
    assertThat(StateComparison.compare(vitals, ClusterView.empty(0), "wanted"))
        .isEqualTo(StateComparison.FOREIGN);
  }
}
