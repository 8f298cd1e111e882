package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeLookTest {
  private static final ClusterView VIEW =
      new ClusterView(States.ofNodes(2).build(3, 10), java.util.Map.of(), 0, false);

  @ParameterizedTest
  @CsvSource({
    "cluster-uuid, 3, 10, NOT_ASKED, SAME",
    "cluster-uuid, 3, 10, ELECTED, SAME",
    "cluster-uuid, 3, 10, NONE, LEADERLESS",
    "cluster-uuid, 3, 11, NOT_ASKED, NEWER",
    "cluster-uuid, 4, 10, NOT_ASKED, NEWER",
    "cluster-uuid, 4, 9, NOT_ASKED, NEWER",
    "cluster-uuid, 3, 9, NOT_ASKED, BEHIND",
    "cluster-uuid, 2, 99, NOT_ASKED, BEHIND",
    "another, 3, 10, NOT_ASKED, FOREIGN",
    "another, 9, 99, ELECTED, FOREIGN",
    "_na_, 0, 0, NONE, NOT_JOINED"
  })
  void tellsWhatANodeKnows(
      String uuid, long term, long version, Vitals.Manager manager, NodeLook expected) {
    Vitals vitals = new Vitals("test", uuid, new Position(term, version), manager);

    assertThat(NodeLook.at(vitals, VIEW, States.CLUSTER_UUID)).isEqualTo(expected);
  }

  @Test
  void takesAnyClusterWhenNoneIsFollowedYet() {
    Vitals vitals = new Vitals("any", "any", new Position(1, 1), Vitals.Manager.ELECTED);

    assertThat(NodeLook.at(vitals, ClusterView.empty(0), "")).isEqualTo(NodeLook.NEWER);
    assertThat(NodeLook.at(vitals, ClusterView.empty(0), "wanted")).isEqualTo(NodeLook.FOREIGN);
  }
}
