package dev.weir.cluster;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Settings;

final class ClusterSetbackDetectorTest {
  private final ClusterSetbackDetector detector = new ClusterSetbackDetector();
  private final ClusterState newest = ClusterStates.ofNodes(3).build(9, 50);
  private final ClusterState earlier = ClusterStates.ofNodes(3).build(4, 20);
  private final ClusterView view =
      new ClusterView(
          newest,
          new NodeInfoCollector(
                  new BlockingNodeCaller(Map.of()),
                  new ClusterSettings(Settings.EMPTY, ClusterSettings.BUILT_IN_CLUSTER_SETTINGS),
                  RestAddressFilter.OWN_NETWORK)
              .endpoints(newest.nodes(), GatewayNode.UNNAMED.node()),
          0,
          false);

  private boolean isSetBack(String node, ClusterState found, int second) {
    return detector.isSetBack(node, found, view, SECONDS.toNanos(second));
  }

  /** Returns whether three answers over three seconds suffice. */
  private boolean isSetBack(String node, ClusterState found) {
    detector.reset();
    boolean isEarly = isSetBack(node, found, 10) || isSetBack(node, found, 11);
    assertThat(isEarly).isFalse();
    return isSetBack(node, found, 13);
  }

  @Test
  void needThreeAnswersOverThreeSeconds() {
    ClusterState found = ClusterStates.restarted(earlier, 3);
    assertThat(isSetBack("n0", found, 0)).isFalse();
    assertThat(isSetBack("n1", found, 4)).isFalse();
    assertThat(isSetBack("n2", found, 5)).isTrue();

    detector.reset();
    assertThat(isSetBack("n0", found, 6)).isFalse();
    assertThat(isSetBack("n1", found, 6)).isFalse();
    assertThat(isSetBack("n2", found, 6)).isFalse();
    assertThat(isSetBack("n0", found, 9)).isTrue();
  }

  @Test
  void needMostNodesAsOtherProcesses() {
    assertThat(isSetBack("n0", earlier)).isFalse();
    assertThat(isSetBack("n0", ClusterStates.restarted(earlier, 2))).isFalse();
    assertThat(isSetBack("n0", ClusterStates.restarted(ClusterStates.ofNodes(2).build(4, 20), 2)))
        .isTrue();
    assertThat(isSetBack("n0", ClusterStates.restarted(ClusterStates.ofNodes(1).build(4, 20), 1)))
        .isFalse();
    assertThat(isSetBack("stranger", ClusterStates.restarted(earlier, 3))).isFalse();
  }

  @Test
  void needMostNodesAtTheirAddresses() {
    DiscoveryNodes.Builder moved = DiscoveryNodes.builder().clusterManagerNodeId("n0");
    for (int i = 0; i < 3; i++) {
      moved.add(ClusterStates.node(i, "restarted-n" + i, 9401 + i));
    }

    assertThat(isSetBack("n0", ClusterState.builder(earlier).nodes(moved).build())).isFalse();
  }

  @Test
  void startOverAfterAnAnswerOfANodeThatLags() {
    ClusterState found = ClusterStates.restarted(earlier, 3);
    assertThat(isSetBack("n0", found, 0)).isFalse();
    assertThat(isSetBack("n1", found, 4)).isFalse();
    assertThat(isSetBack("n2", earlier, 5)).isFalse();
    assertThat(isSetBack("n0", found, 6)).isFalse();
  }
}
