package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.registry.OpenSearchRegistries;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Settings;

class PollNodeSelectorTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private final FakeCluster cluster = new FakeCluster(REGISTRIES.writeables());
  private List<FakeSeedClient> nodes = List.of();
  private ClusterView view = ClusterView.empty(0);

  @BeforeEach
  void start() {
    ClusterState state = ClusterStates.ofNodes(4).build(1, 1);
    nodes = cluster.startAll(state);
    NodeInfoCollector facts =
        new NodeInfoCollector(
            new BlockingNodeCaller(java.util.Map.of()),
            new ClusterSettings(Settings.EMPTY, ClusterSettings.BUILT_IN_CLUSTER_SETTINGS),
            RestAddressFilter.OWN_NETWORK);
    view =
        new ClusterView(
            state, facts.endpoints(state.nodes(), GatewayNode.UNNAMED.node()), 0, false);
    cluster.update(view.nodes().values());
  }

  @Test
  void takesNodesInTurnAndTheClusterManagerLast() {
    PollNodeSelector candidates = new PollNodeSelector(cluster.clients(), 7);

    assertThat(List.of(ids(candidates), ids(candidates), ids(candidates), ids(candidates)))
        .containsExactly("n2n3n1n0", "n3n1n2n0", "n1n2n3n0", "n2n3n1n0");
  }

  @Test
  void givesEveryNodeItsTurnOfChecks() {
    PollNodeSelector candidates = new PollNodeSelector(cluster.clients(), 0);
    List<String> checked = new ArrayList<>();
    for (int look = 0; look < 12; look++) {
      if (look % 4 == 0) {
        checked.add(candidates.nextCheckOrder(view).getFirst().endpoint().id());
      } else {
        candidates.nextOrder(view);
      }
    }

    assertThat(checked).containsExactly("n1", "n2", "n3");
  }

  @Test
  void selectTimedOutNodesLastForAWhile() {
    PollNodeSelector candidates = new PollNodeSelector(cluster.clients(), 0);
    candidates.deprioritize(nodes.get(2));
    candidates.deprioritize(nodes.get(0));

    assertThat(ids(candidates)).isEqualTo("n1n3n2n0");
    assertThat(candidates.isDeprioritized(nodes.get(2))).isTrue();
    for (int turns = 0; turns < 40; turns++) {
      ids(candidates);
    }
    assertThat(candidates.isDeprioritized(nodes.get(2))).isFalse();
    assertThat(ids(candidates)).endsWith("n0");
  }

  @Test
  void skipDisconnectedNodes() {
    PollNodeSelector candidates = new PollNodeSelector(cluster.clients(), -3);
    nodes.get(0).up = false;
    nodes.get(2).up = false;

    assertThat(ids(candidates)).hasSize("n1n3".length()).contains("n1", "n3");
    assertThat(candidates.clusterManager(view)).isNull();
  }

  private String ids(PollNodeSelector candidates) {
    StringBuilder ids = new StringBuilder();
    candidates.nextOrder(view).forEach(node -> ids.append(node.endpoint().id()));
    return ids.toString();
  }
}
