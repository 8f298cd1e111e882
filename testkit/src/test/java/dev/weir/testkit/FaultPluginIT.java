package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FaultPluginIT {
  private static final String INDEX =
      "{\"settings\":{\"number_of_shards\":1,\"number_of_replicas\":0}}";

  @Test
  void failSearchesOfOneNodeWhileEnabled() {
    ClusterSpec spec =
        ClusterSpec.ofNodes(1)
            .mapNodes(node -> node.withHeap("256m").withPlugin(NodePlugin.FAULTS))
            .withNode(NodeSpec.of("coordinator").asCoordinatingOnly().withHeap("256m"));
    try (DataNodeCluster nodes = DataNodeCluster.start(spec);
        RestClient data = new RestClient(nodes.node(0).httpUri());
        RestClient coordinator = new RestClient(nodes.node(1).httpUri())) {
      data.send("PUT", "/one?wait_for_active_shards=all", INDEX).orThrow();
      coordinator.send("GET", "/one/_search").orThrow();

      data.send("PUT", "/_weir_faults?searches=fail").orThrow();
      assertThat(coordinator.send("GET", "/one/_search").status()).isEqualTo(500);
      data.send("PUT", "/_weir_faults?searches=pass").orThrow();
      coordinator.send("GET", "/one/_search").orThrow();

      assertThat(data.send("GET", "/_weir_faults").body())
          .isEqualTo("{\"searches\":3,\"failed\":1,\"unfetched\":0}");
      assertThat(data.send("PUT", "/_weir_faults?searches=perhaps").status()).isEqualTo(400);
      assertThat(data.send("PUT", "/_weir_faults?fetches=perhaps").status()).isEqualTo(400);
    }
  }
}
