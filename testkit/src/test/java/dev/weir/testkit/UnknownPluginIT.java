package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class UnknownPluginIT {
  private static DataNodeCluster nodes;

  @BeforeAll
  static void startNodes() {
    nodes =
        DataNodeCluster.start(
            ClusterSpec.ofNodes(2)
                .mapNodes(node -> node.withHeap("256m").withPlugin(NodePlugin.UNKNOWN)));
  }

  @AfterAll
  static void endNodes() {
    nodes.close();
  }

  @Test
  void putsACustomIntoTheClusterStateAndRemovesIt() {
    RestClient rest = nodes.rest();
    assertThat(rest.send("PUT", "/_weir_unknown?value=here").orThrow().body())
        .isEqualTo("{\"acknowledged\":true}");
    assertThat(rest.send("GET", "/_cluster/state/metadata").orThrow().body())
        .contains("\"weir_unknown_custom\":{\"value\":\"here\"}");
    try (RestClient other = new RestClient(nodes.node(1).httpUri())) {
      assertThat(other.send("GET", "/_cluster/state/metadata?local=true").body())
          .contains("\"weir_unknown_custom\":{\"value\":\"here\"}");
    }
    rest.send("DELETE", "/_weir_unknown").orThrow();
    assertThat(rest.send("GET", "/_cluster/state/metadata").body())
        .doesNotContain("weir_unknown_custom");
  }

  @Test
  void answersItsQueryAndItsEndpoint() {
    RestClient rest = nodes.rest();
    rest.send("PUT", "/known/_doc/1?refresh=true", "{\"a\":1}").orThrow();
    rest.send("PUT", "/known/_doc/2?refresh=true", "{\"b\":1}").orThrow();

    assertThat(
            rest.send(
                    "POST",
                    "/known/_count",
                    "{\"query\":{\"weir_unknown_query\":{\"field\":\"a\"}}}")
                .orThrow()
                .body())
        .startsWith("{\"count\":1,");
    assertThat(rest.send("GET", "/_weir_unknown").body()).isEqualTo("{\"weir\":\"unknown\"}");
  }
}
