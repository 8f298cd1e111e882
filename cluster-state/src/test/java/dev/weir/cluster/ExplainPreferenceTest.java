package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.core.index.shard.ShardId;

class ExplainPreferenceTest {
  private static final IndexMetadata INDEX =
      ClusterStates.metadata("i", 1, 0, UnaryOperator.identity());
  private static final String REWRITTEN = "preference=_shards%3A0%7C_prefer_nodes%3An0";

  private static String rewrite(String uri) {
    ShardId shard = new ShardId(INDEX.getIndex(), 0);
    IndexRoutingTable table =
        IndexRoutingTable.builder(INDEX.getIndex())
            .addIndexShard(
                new IndexShardRoutingTable.Builder(shard)
                    .addShard(ClusterStates.started(shard, true, false, "n0"))
                    .build())
            .build();
    ClusterView view =
        new ClusterView(
            ClusterStates.ofNodes(1).index(INDEX, table).build(1, 1), Map.of(), 0, false);
    return ExplainPreference.rewrite(() -> view, uri);
  }

  @Test
  void keepTheOtherParameters() {
    assertThat(rewrite("/i/_explain/1?a=b&preference=_shards:0|x&routing=r"))
        .isEqualTo("/i/_explain/1?a=b&" + REWRITTEN + "&routing=r");
    assertThat(rewrite("/i/_explain/1?preference=_shards:0|x;routing=r"))
        .isEqualTo("/i/_explain/1?" + REWRITTEN + "&routing=r");
  }

  @Test
  void leaveOtherRequestsAsTheyAre() {
    for (String uri :
        new String[] {
          "/i/_explain/1?preference=x;routing=r",
          "/i/_explain/1",
          "/i/_search?preference=_shards:0|x",
          "/other/_explain/1?preference=_shards:0|x"
        }) {
      assertThat(rewrite(uri)).isEqualTo(uri);
    }
  }
}
