package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.AliasMetadata;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;

/** What a view keeps of the caches of the view before it. */
final class ViewSharingTest {
  private static final IndexNameResolver NAMES =
      new IndexNameResolver(new ThreadContext(Settings.EMPTY));

  private final ClusterView view =
      ClusterStates.ofNodes(4).index("logs-1", 2, 1).index("logs-2", 2, 1).view();

  private static List<ShardTarget> search(ClusterView in, String name) {
    SearchRequest request = new SearchRequest(name);
    return NAMES.resolveSearch(in, request, request, 0).shards();
  }

  private ClusterView withMetadata(UnaryOperator<Metadata.Builder> change) {
    ClusterState state =
        ClusterState.builder(view.state())
            .metadata(change.apply(Metadata.builder(view.state().metadata())))
            .build();
    return view.next(state, view.routingEntries(), view.nodes(), 0, false, view.settings());
  }

  private ClusterView withIndex(UnaryOperator<IndexMetadata.Builder> change) {
    return withMetadata(metadata ->
        metadata.put(change.apply(IndexMetadata.builder(view.state().metadata().index("logs-1")))));
  }

  /** Moves the primary of the first shard to another node. */
  private static ClusterView move(ClusterView from, String index, String node) {
    IndexRoutingTable table = from.state().routingTable().index(index);
    IndexRoutingTable.Builder moved = IndexRoutingTable.builder(table.getIndex());
    for (IndexShardRoutingTable shard : table) {
      IndexShardRoutingTable.Builder copies = new IndexShardRoutingTable.Builder(shard.shardId());
      for (ShardRouting copy : shard) {
        copies.addShard(
            copy.id() == 0 && copy.primary()
                ? copy.relocate(node, 0).getTargetRelocatingShard().moveToStarted()
                : copy);
      }
      moved.addIndexShard(copies.build());
    }
    return from.withRouting(List.of(moved.build()), from.routingVersion() + 1);
  }

  @Test
  void keepTargetsOfIndicesThatHaveNotMoved() {
    List<ShardTarget> one = search(view, "logs-1");
    List<ShardTarget> other = search(view, "logs-2");
    ClusterView moved = move(view, "logs-1", "n3");

    assertThat(search(moved, "logs-2")).isSameAs(other);
    assertThat(search(moved, "logs-1")).isNotEqualTo(one);
    assertThat(search(moved, "logs-1").getFirst().copies())
        .extracting(copy -> copy.nodeId())
        .contains("n3");
    assertThat(search(moved, "logs-*")).containsAll(other);
  }

  @Test
  void neverGiveTargetsOfOneViewToAnother() {
    ClusterView moved = move(view, "logs-1", "n3");
    for (int i = 0; i < 3; i++) {
      assertThat(search(view, "logs-*")).isEqualTo(search(uncached(view), "logs-*"));
      assertThat(search(moved, "logs-*")).isEqualTo(search(uncached(moved), "logs-*"));
      assertThat(search(view, "logs-*")).isNotEqualTo(search(moved, "logs-*"));
    }
  }

  private static ClusterView uncached(ClusterView like) {
    return new ClusterView(like.state(), Map.of(), 0, false);
  }

  @Test
  void dropTargetsWhenNodesChange() {
    List<ShardTarget> before = search(view, "logs-1");
    ClusterView now = view.withGateway(GatewayNode.of("other", Map.of("zone", "a")));

    assertThat(search(now, "logs-1")).isEqualTo(before).isNotSameAs(before);
  }

  @Test
  void keepNamesWhenAMappingChanges() {
    search(view, "logs-*");
    ClusterView now = withIndex(index -> index.putMapping(ClusterStates.mapping("field")));

    assertThat(now.resolvedNames()).isSameAs(view.resolvedNames());
    assertThat(search(now, "logs-*")).isSameAs(search(view, "logs-*"));
  }

  @Test
  void dropNamesWhenAnAliasASettingOrTheIndicesChange() {
    for (ClusterView now :
        List.of(
            withIndex(index -> index.putAlias(AliasMetadata.builder("alias"))),
            withIndex(index -> index.state(IndexMetadata.State.CLOSE)),
            withIndex(index -> index.system(true)),
            withIndex(ClusterStates.with(IndexMetadata.SETTING_INDEX_HIDDEN, true)),
            withMetadata(metadata -> metadata.remove("logs-1")),
            withMetadata(metadata ->
                metadata
                    .remove("logs-1")
                    .put(
                        ClusterStates.metadata("logs-3", 2, 1, UnaryOperator.identity()),
                        false)))) {
      assertThat(now.resolvedNames()).isNotSameAs(view.resolvedNames());
    }
  }

  @Test
  void ignoreRoutingThatTheViewHasAlready() {
    assertThat(view.withRouting(view.state().routingTable(), 9)).isSameAs(view);
  }

  @Test
  void leaveOutRoutingToUnknownNodes() {
    assertThat(move(view, "logs-1", "n77")).isSameAs(view);
  }

  @Test
  void boundTheTargetsOfDeletedIndices() {
    ShardTargetCache cache = view.targetCache();
    for (int i = 0; i < 3000; i++) {
      ClusterView other = ClusterStates.ofNodes(4).index("deleted-" + i, 1, 0).view();
      IndexRoutingTable table = other.state().routingTable().index("deleted-" + i);
      cache.of(table, List::of);
      cache.retainOnly(view.state().routingTable());
    }
    assertThat(cache.size()).isLessThan(1100);
  }
}
