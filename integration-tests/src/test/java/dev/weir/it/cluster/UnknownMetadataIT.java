package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodePlugin;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.metadata.AliasMetadata;
import org.opensearch.cluster.metadata.IndexMetadata;

/** A cluster with a plugin whose part of the state the gateway cannot parse. */
class UnknownMetadataIT {
  @Test
  void followsThroughTheLifeOfAnUnknownPart() throws Exception {
    ClusterSpec spec =
        ClusterSpec.ofNodes(1)
            .withName("weir-unknown")
            .mapNodes(node -> node.withPlugin(NodePlugin.UNKNOWN));
    try (DataNodeCluster nodes = DataNodeCluster.start(spec);
        FollowedCluster followed =
            new FollowedCluster(nodes.seeds(), OpenSearchRegistries.create())) {
      ClusterView whole = followed.await(view -> !view.nodes().isEmpty());
      assertThat(whole.isPartial()).isFalse();

      nodes.rest().send("PUT", "/_weir_unknown?value=1").orThrow();
      followed.await(ClusterView::isPartial);
      assertThat(followed.follower().status().unknownParts()).hasSize(1);

      nodes
          .rest()
          .send(
              "PUT",
              "/_index_template/streams",
              "{\"index_patterns\":[\"stream*\"],\"data_stream\":{}}")
          .orThrow();
      nodes.rest().send("PUT", "/_data_stream/stream").orThrow();
      nodes
          .rest()
          .send(
              "PUT",
              "/later",
              // an unassigned replica would change its reason during the test
              "{\"settings\":{\"number_of_replicas\":0},"
                  + "\"aliases\":{\"filtered\":{\"filter\":{\"term\":{\"a\":1}},\"routing\":\"r\"}},"
                  + "\"mappings\":{\"_routing\":{\"required\":true}}}")
          .orThrow();
      ClusterView partial =
          followed.await(view ->
              view.state().metadata().hasIndex("later")
                  && view.state().metadata().dataStreams().containsKey("stream")
                  && !view.state().metadata().index("later").inSyncAllocationIds(0).isEmpty()
                  && view.state().routingTable().allShards("later").stream()
                      .anyMatch(shard -> shard.started()));
      assertThat(partial.isPartial()).isTrue();

      nodes.rest().send("DELETE", "/_weir_unknown").orThrow();
      ClusterView again = followed.await(view -> !view.isPartial());
      assertThat(followed.follower().status().unknownParts()).isEmpty();
      IndexMetadata later = partial.state().metadata().index("later");
      assertThat(later).isEqualTo(again.state().metadata().index("later"));
      Map<String, AliasMetadata> aliases = later.getAliases();
      assertThat(Objects.requireNonNull(aliases.get("filtered")).searchRouting()).isEqualTo("r");
      assertThat(partial.state().metadata().routingRequired("later")).isTrue();
      assertThat(partial.state().metadata().dataStreams())
          .isEqualTo(again.state().metadata().dataStreams());
      assertThat(partial.state().routingTable().index("later"))
          .isEqualTo(again.state().routingTable().index("later"));
    }
  }
}
