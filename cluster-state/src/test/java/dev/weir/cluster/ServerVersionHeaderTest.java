package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.NodeEndpoint;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterState;

class ServerVersionHeaderTest {
  private final ServerVersionHeader version = new ServerVersionHeader();

  @Test
  void saysNothingBeforeTheFirstView() {
    assertThat(version.get()).isEmpty();
  }

  @Test
  void sendTheNodesVersion() {
    see("3.4.0", "3.4.0");

    assertThat(version.get()).isEqualTo("OpenSearch/3.4.0 (opensearch)");
  }

  @Test
  void saysTheOldestOfSeveral() {
    see("3.10.0", "3.9.1", "3.10.0");

    assertThat(version.get()).isEqualTo("OpenSearch/3.9.1 (opensearch)");
  }

  @Test
  void omitTheHeaderIfAnyNodeOmitsIt() {
    see("3.8.0");
    see("3.8.0", "2.19.6");

    assertThat(version.get()).isEmpty();
  }

  private void see(String... versions) {
    Map<String, NodeEndpoint> nodes = new HashMap<>();
    for (int i = 0; i < versions.length; i++) {
      String id = "n" + i;
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", 9300 + i);
      nodes.put(id, new NodeEndpoint(id, id, id, address, null, Set.of(), Map.of(), versions[i]));
    }
    ClusterView now = new ClusterView(ClusterState.EMPTY_STATE, nodes, 0, false);
    version.onChange(ClusterView.empty(0), now);
  }
}
