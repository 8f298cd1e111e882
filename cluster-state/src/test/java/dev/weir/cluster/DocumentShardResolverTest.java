package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.ShardCopy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.OperationRouting;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.IndexNotFoundException;

class DocumentShardResolverTest {
  private static final int DOCUMENTS = 500;

  @Test
  void routesDocumentsAsOperationRoutingDoes() {
    ClusterView view =
        ClusterStates.ofNodes(3)
            .index("plain", 5, 1)
            .index("split", 6, 1, index -> index.setRoutingNumShards(24))
            .index(
                "partitioned",
                6,
                1,
                ClusterStates.with(IndexMetadata.SETTING_ROUTING_PARTITION_SIZE, 3))
            .view();
    for (String name : new String[] {"plain", "split", "partitioned"}) {
      IndexMetadata metadata = view.state().metadata().index(name);
      for (int i = 0; i < DOCUMENTS; i++) {
        String routing = name.equals("partitioned") || i % 2 == 0 ? "user-" + i % 7 : null;
        int expected = OperationRouting.generateShardId(metadata, "id-" + i, routing);
        assertThat(DocumentShardResolver.shardOf(view, metadata.getIndex(), "id-" + i, routing))
            .isEqualTo(new ShardId(metadata.getIndex(), expected));
        assertThat(read(view, metadata.getIndex(), "id-" + i, routing, null).shardId().id())
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void readsFromTheCopiesThatThePreferenceNames() {
    ClusterView view = ClusterStates.ofNodes(3).index("plain", 1, 2).view();
    Index index = view.state().metadata().index("plain").getIndex();

    assertThat(read(view, index, "1", null, null).tiers()).hasSize(1);
    assertThat(read(view, index, "1", null, null).copies()).hasSize(3);
    assertThat(read(view, index, "1", null, "_primary").copies())
        .extracting(ShardCopy::nodeId)
        .containsExactly("n0");
    assertThat(read(view, index, "1", null, "me")).isEqualTo(read(view, index, "1", null, "me"));
    assertThat(read(view, index, "1", null, "me").isOrderFixed()).isTrue();
    assertThat(DocumentShardResolver.readTarget(view, index, "1", null, "_shards:7")).isNull();
    assertThat(DocumentShardResolver.readTarget(view, new ShardId(index, 0), "_replica"))
        .extracting(ShardTarget::copies)
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
        .hasSize(2);
  }

  @Test
  void readsFromTheCopyOfACustomPreferenceWithShards() {
    ClusterView view = ClusterStates.ofNodes(3).index("plain", 4, 2).view();
    Index index = view.state().metadata().index("plain").getIndex();
    int shard = DocumentShardResolver.shardOf(view, index, "1", null).id();
    int other = (shard + 1) % 4;

    assertThat(read(view, index, "1", null, "_shards:" + shard + "|me"))
        .isEqualTo(read(view, index, "1", null, "me"));
    assertThatThrownBy(() -> read(view, index, "1", null, "_shards:" + other + "|me"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("_shards:" + other + "|me")
        .hasMessageContaining("shard " + shard);
    ShardId id = new ShardId(index, shard);
    assertThat(DocumentShardResolver.readTarget(view, id, "_shards:" + shard + "|me"))
        .isEqualTo(DocumentShardResolver.readTarget(view, id, "me"));
    assertThat(DocumentShardResolver.readTarget(view, id, "_shards:" + other + "|me")).isNull();
  }

  @Test
  void sendsRealtimeGetsOfSegmentReplicatedIndicesToThePrimary() {
    ClusterView view =
        ClusterStates.ofNodes(3)
            .index("plain", 1, 1)
            .index(
                "segments",
                1,
                1,
                ClusterStates.with(IndexMetadata.SETTING_REPLICATION_TYPE, "SEGMENT"))
            .view();
    Index plain = view.state().metadata().index("plain").getIndex();
    Index segments = view.state().metadata().index("segments").getIndex();

    assertThat(DocumentShardResolver.effectivePreference(view, segments, true, null))
        .isEqualTo("_primary");
    assertThat(DocumentShardResolver.effectivePreference(view, segments, false, null)).isNull();
    assertThat(DocumentShardResolver.effectivePreference(view, segments, true, "_local"))
        .isEqualTo("_local");
    assertThat(DocumentShardResolver.effectivePreference(view, plain, true, null)).isNull();
  }

  @Test
  void knowsTheActivePrimaryOnly() {
    IndexMetadata starting = ClusterStates.metadata("starting", 1, 0, index -> index);
    ShardId shard = new ShardId(starting.getIndex(), 0);
    ClusterView view =
        ClusterStates.ofNodes(2)
            .index("plain", 2, 1)
            .index(
                starting,
                IndexRoutingTable.builder(starting.getIndex())
                    .addIndexShard(
                        new IndexShardRoutingTable.Builder(shard)
                            .addShard(ClusterStates.initializing(shard, true, false, "n0"))
                            .build())
                    .build())
            .view();
    Index plain = view.state().metadata().index("plain").getIndex();

    assertThat(DocumentShardResolver.activePrimary(view, new ShardId(plain, 1)))
        .isNotNull()
        .extracting(ShardCopy::nodeId)
        .isEqualTo("n1");
    assertThat(DocumentShardResolver.activePrimary(view, shard)).isNull();
    assertThat(DocumentShardResolver.activePrimary(view, new ShardId(plain, 9))).isNull();
    assertThat(DocumentShardResolver.activePrimary(view, new ShardId("plain", "another-uuid", 1)))
        .isNull();
    assertThat(DocumentShardResolver.activePrimary(view, new ShardId("gone", "uuid", 0))).isNull();
  }

  @Test
  void saysWhichIndexIsMissing() {
    ClusterView view = ClusterStates.ofNodes(1).view();

    assertThatThrownBy(
            () -> DocumentShardResolver.shardOf(view, new Index("gone", "uuid"), "1", null))
        .isInstanceOf(IndexNotFoundException.class)
        .hasMessage("no such index [gone]");
  }

  private static ShardTarget read(
      ClusterView view,
      Index index,
      String id,
      @Nullable String routing,
      @Nullable String preference) {
    return Objects.requireNonNull(
        DocumentShardResolver.readTarget(view, index, id, routing, preference));
  }
}
