package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.ReplicaSelector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.WeightedRoutingMetadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.ShardIterator;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.cluster.routing.WeightedRouting;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.search.slice.SliceBuilder;

class SearchShardResolverTest {
  private static final Map<String, Set<String>> NO_ROUTING = Map.of();

  @Test
  void leavesTheCopiesOfAShardFree() {
    ClusterView view = ClusterStates.ofNodes(3).index("logs", 4, 1).view();

    List<ShardTarget> targets = search(view, null, "logs");

    assertThat(targets).extracting(target -> target.shardId().id()).containsExactly(0, 1, 2, 3);
    assertThat(targets)
        .allSatisfy(target -> assertThat(target.tiers()).hasSize(1))
        .noneMatch(ShardTarget::isOrderFixed);
    assertThat(targets.getFirst().copies())
        .extracting(ShardCopy::nodeId)
        .containsExactlyInAnyOrder("n0", "n1");
    assertThat(targets.getFirst().copies())
        .extracting(copy -> copy.nodeAttributes().get("zone"))
        .containsExactlyInAnyOrder("a", "b");
    assertSameAsNode(view, null, "logs");
  }

  @Test
  void keepsTheTargetsOfWholeIndicesWithTheView() {
    ClusterView view = ClusterStates.ofNodes(3).index("logs", 4, 1).view();

    assertThat(search(view, null, "logs")).isSameAs(search(view, null, "logs"));
    assertThat(search(view.confirm(5), null, "logs")).isSameAs(search(view, null, "logs"));
  }

  @Test
  void ordersTargetsOfSeveralIndicesAsANodeDoes() {
    ClusterView view =
        ClusterStates.ofNodes(3).index("b", 2, 1).index("a", 3, 0).index("c", 1, 2).view();

    assertThat(search(view, null, "c", "a", "b", "a"))
        .extracting(target -> target.shardId().getIndexName() + target.shardId().id())
        .containsExactly("a0", "b0", "c0", "a1", "b1", "a2");
    assertSameAsNode(view, null, "c", "a", "b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "_local",
        "_primary",
        "_replica",
        "_primary_first",
        "_replica_first",
        "_only_local",
        "_prefer_nodes:n1",
        "_prefer_nodes:n1,n1,nowhere",
        "_shards:1,3",
        "_shards:0|_primary",
        "_shards:2|_local",
        "custom",
        "another custom string",
        "_search_replica"
      })
  void followsThePreferenceAsANodeDoes(String preference) {
    ClusterView view =
        ClusterStates.ofNodes(4).index("logs", 5, 2).index(recovering(), recoveringTable()).view();

    assertSameAsNode(view, preference, "logs", "recovering");
  }

  @Test
  void goesOnlyToNamedNodesAsANodeDoes() {
    ClusterView view = ClusterStates.ofNodes(4).index("logs", 5, 2).view();

    assertSameAsNode(view, "_only_nodes:zone:b,zone:a", "logs");
    assertSameAsNode(view, "_only_nodes:n*,name-*", "logs");
  }

  @Test
  void fixesTheOrderForACustomPreference() {
    ClusterView view = ClusterStates.ofNodes(4).index("logs", 5, 2).view();

    assertThat(search(view, "session-17", "logs"))
        .allMatch(ShardTarget::isOrderFixed)
        .isEqualTo(search(view, "session-17", "logs"));
  }

  @Test
  void goesToTheNamedShardsOfACustomPreference() {
    ClusterView view = ClusterStates.ofNodes(4).index("logs", 5, 2).index("b", 2, 1).view();

    List<ShardTarget> all = search(view, "session-17", "logs", "b");
    List<ShardTarget> some = search(view, "_shards:0,3|session-17", "logs", "b");
    assertThat(some)
        .isEqualTo(
            all.stream().filter(target -> Set.of(0, 3).contains(target.shardId().id())).toList());
    assertThat(some).hasSize(3).allMatch(ShardTarget::isOrderFixed);
    assertThat(search(view, "_shards:7|session-17", "logs")).isEmpty();
    assertThatThrownBy(() -> search(view, "_shards:x|session-17", "logs"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void sharesTheNamedShardsBetweenSlices() {
    ClusterView view = ClusterStates.ofNodes(4).index("logs", 6, 1).view();
    List<Index> indices = indices(view, "logs");

    for (int slice = 0; slice < 2; slice++) {
      SliceBuilder part = new SliceBuilder(slice, 2);
      assertThat(SearchShardResolver.resolve(view, indices, NO_ROUTING, "_shards:1,2,5|me", part))
          .extracting(ShardTarget::shardId)
          .isNotEmpty()
          .isEqualTo(
              SearchShardResolver.resolve(view, indices, NO_ROUTING, "_shards:1,2,5", part).stream()
                  .map(ShardTarget::shardId)
                  .toList());
    }
  }

  @Test
  void putsPreferredNodesBeforeTheOthers() {
    ClusterView view = ClusterStates.ofNodes(4).index("logs", 1, 3).view();

    ShardTarget target = search(view, "_prefer_nodes:n1,n3", "logs").getFirst();

    assertThat(tierNodes(target)).containsExactly(Set.of("n1", "n3"), Set.of("n0", "n2"));
  }

  @Test
  void putsThePrimaryFirstOrLast() {
    ClusterView view = ClusterStates.ofNodes(3).index("logs", 1, 2).view();

    assertThat(tierNodes(search(view, "_primary_first", "logs").getFirst()))
        .containsExactly(Set.of("n0"), Set.of("n1", "n2"));
    assertThat(tierNodes(search(view, "_replica_first", "logs").getFirst()))
        .containsExactly(Set.of("n1", "n2"), Set.of("n0"));
  }

  @Test
  void putsInitializingCopiesLast() {
    ClusterView view = ClusterStates.ofNodes(4).index(recovering(), recoveringTable()).view();

    List<ShardTarget> targets = search(view, null, "recovering");

    assertThat(tierNodes(targets.get(0))).containsExactly(Set.of("n0"), Set.of("n1", "n2"));
    assertThat(targets.get(0).tiers().get(1)).allMatch(ShardCopy::initializing);
    assertThat(targets.get(1).tiers()).isEmpty();
    assertThat(targets.get(1).copies()).isEmpty();
  }

  @Test
  void findNoLocalCopies() {
    ClusterView view = ClusterStates.ofNodes(3).index("logs", 1, 1).view();

    assertThat(tierNodes(search(view, "_local", "logs").getFirst()))
        .containsExactly(Set.of("n0", "n1"));
    assertThat(search(view, "_only_local", "logs").getFirst().copies()).isEmpty();
  }

  @Test
  void rejectPreferencesThatANodeRejects() {
    ClusterView view = ClusterStates.ofNodes(3).index("logs", 1, 1).view();

    assertThatThrownBy(() -> search(view, "_nonsense", "logs"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no Preference for [_nonsense]");
    assertThatThrownBy(() -> search(view, "_only_nodes:zone:x", "logs"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no data nodes with criteria [zone:x] found for shard: [logs][0]");
  }

  @Test
  void goesToTheShardsOfTheRoutingValues() {
    ClusterView view = ClusterStates.ofNodes(3).index("logs", 7, 1).index("other", 2, 0).view();
    Map<String, Set<String>> routing = Map.of("logs", Set.of("user-1", "user-2"));

    List<ShardTarget> targets =
        SearchShardResolver.resolve(view, indices(view, "logs", "other"), routing, null, null);

    Set<ShardId> expected =
        new HashSet<>(
            List.of(
                DocumentShardResolver.shardOf(view, index(view, "logs"), "any", "user-1"),
                DocumentShardResolver.shardOf(view, index(view, "logs"), "any", "user-2"),
                new ShardId(index(view, "other"), 0),
                new ShardId(index(view, "other"), 1)));
    assertThat(targets).extracting(ShardTarget::shardId).hasSameElementsAs(expected);
    assertThat(targets).extracting(ShardTarget::shardId).isSorted();
  }

  @Test
  void sharesShardsBetweenSlices() {
    ClusterView view = ClusterStates.ofNodes(3).index("logs", 6, 1).view();
    List<ShardId> seen = new ArrayList<>();
    for (int slice = 0; slice < 3; slice++) {
      SliceBuilder builder = new SliceBuilder(slice, 3);
      SearchShardResolver.resolve(view, indices(view, "logs"), NO_ROUTING, null, builder)
          .forEach(target -> seen.add(target.shardId()));
    }

    assertThat(seen).hasSize(6).doesNotHaveDuplicates();
  }

  @Test
  void sendsSearchesToSearchReplicasWhenStrict() {
    ClusterStates states =
        ClusterStates.ofNodes(4)
            .index(
                "logs",
                1,
                1,
                ClusterStates.with(IndexMetadata.SETTING_NUMBER_OF_SEARCH_REPLICAS, 1));
    ClusterView strict = states.view();
    states
        .metadata()
        .persistentSettings(
            Settings.builder().put("cluster.routing.search_replica.strict", false).build());
    ClusterView lax = states.view();

    assertThat(tierNodes(search(strict, null, "logs").getFirst())).containsExactly(Set.of("n2"));
    assertThat(tierNodes(search(lax, null, "logs").getFirst()))
        .containsExactly(Set.of("n0", "n1", "n2"));
  }

  @Test
  void followsWeights() {
    ClusterView even = weighted(Map.of("a", 1.0, "b", 1.0, "c", 0.0));
    ClusterView uneven = weighted(Map.of("a", 3.0, "b", 1.0, "c", 1.0));

    assertThat(tierNodes(search(even, null, "logs").getFirst()))
        .containsExactly(Set.of("n0", "n1", "n3", "n4"), Set.of("n2", "n5"));
    assertThat(search(uneven, null, "logs").getFirst().isOrderFixed()).isTrue();
    assertSameAsNode(even, null, "logs");
    assertThatThrownBy(() -> search(even, "_only_nodes:n1", "logs"))
        .hasMessageContaining("not allowed with strict weighted shard routing");
  }

  @Test
  void prefersCopiesInItsOwnZone() {
    ClusterStates states = ClusterStates.ofNodes(6).index("logs", 2, 5);
    states
        .metadata()
        .persistentSettings(
            Settings.builder()
                .put("cluster.routing.allocation.awareness.attributes", "zone")
                .put("cluster.search.ignore_awareness_attributes", false)
                .build());
    Map<String, NodeEndpoint> none = Map.of();
    ClusterState state = GatewayNode.of("gateway", Map.of("zone", "b")).addTo(states.build(1, 1));
    ClusterView view = new ClusterView(state, none, 0, false);

    assertThat(tierNodes(search(view, null, "logs").getFirst()))
        .containsExactly(Set.of("n1", "n4"), Set.of("n0", "n2", "n3", "n5"));
    assertSameAsNode(view, null, "logs");
    assertThat(tierNodes(search(states.view(), null, "logs").getFirst())).hasSize(1);
  }

  @Test
  void letsTheSelectorOrderWithinTiersOnly() {
    ClusterView view = ClusterStates.ofNodes(4).index("logs", 1, 3).view();
    ShardTarget target = search(view, "_prefer_nodes:n1,n3", "logs").getFirst();

    List<ShardCopy> ordered =
        target.order(
            (copies, count, phase) ->
                Arrays.sort(copies, Comparator.comparing(ShardCopy::nodeId).reversed()),
            NodeCallType.HITS);

    assertThat(ordered).extracting(ShardCopy::nodeId).containsExactly("n3", "n1", "n2", "n0");
  }

  @Test
  void givesWayWhereThePreferenceIsForCachesOrNearnessOnly() {
    ClusterView view = ClusterStates.ofNodes(4).index("logs", 1, 3).view();
    List<String> asANode = nodes(search(view, "session-7", "logs").getFirst().copies());

    ShardTarget keyed = search(view, "session-7", "logs").getFirst();
    assertThat(nodes(keyed.order(overloaded(""), NodeCallType.HITS))).isEqualTo(asANode);
    assertThat(nodes(keyed.order(overloaded(asANode.getFirst()), NodeCallType.HITS)))
        .containsExactly(asANode.get(1), asANode.get(0), asANode.get(2), asANode.get(3));
    for (String preference : List.of("_prefer_nodes:n2", "_primary_first", "_local")) {
      ShardTarget target = search(view, preference, "logs").getFirst();
      String first = nodes(target.order(overloaded(""), NodeCallType.HITS)).getFirst();
      assertThat(nodes(target.order(overloaded(first), NodeCallType.HITS)).getFirst())
          .isEqualTo(first);
    }
  }

  @Test
  void leavesItsOwnZoneOnlyWhenAllOfItIsOverloaded() {
    ClusterStates states = ClusterStates.ofNodes(6).index("logs", 1, 5);
    states
        .metadata()
        .persistentSettings(
            Settings.builder()
                .put("cluster.routing.allocation.awareness.attributes", "zone")
                .put("cluster.search.ignore_awareness_attributes", false)
                .build());
    ClusterState state = GatewayNode.of("gateway", Map.of("zone", "b")).addTo(states.build(1, 1));
    ShardTarget target =
        search(new ClusterView(state, Map.of(), 0, false), null, "logs").getFirst();

    assertThat(nodes(target.order(overloaded(""), NodeCallType.HITS)).getFirst()).isIn("n1", "n4");
    List<ShardCopy> far = target.order(overloaded("n1", "n4"), NodeCallType.HITS);
    assertThat(nodes(far).getFirst()).isNotIn("n1", "n4");
    assertThat(nodes(far).subList(1, 3)).containsExactlyInAnyOrder("n1", "n4");
    assertThat(target.interchangeableCopies(far))
        .as("what is bound late stays in its zone")
        .isEmpty();
  }

  private static List<String> nodes(List<ShardCopy> copies) {
    return copies.stream().map(ShardCopy::nodeId).toList();
  }

  /** Keeps the order of tiers, except that it falls back if these nodes come first. */
  private static ReplicaSelector overloaded(String... nodes) {
    Set<String> busy = Set.of(nodes);
    return new ReplicaSelector() {
      @Override
      public void order(ShardCopy[] copies, int count, Phase phase) {}

      @Override
      public int choosePreferred(List<ShardCopy> preferred, Phase phase, int costClass) {
        for (int i = 0; i < preferred.size(); i++) {
          if (!busy.contains(preferred.get(i).nodeId())) {
            return i;
          }
        }
        return 0;
      }
    };
  }

  private static ClusterView weighted(Map<String, Double> weights) {
    ClusterStates states = ClusterStates.ofNodes(6).index("logs", 1, 5);
    states
        .metadata()
        .putCustom(
            WeightedRoutingMetadata.TYPE,
            new WeightedRoutingMetadata(new WeightedRouting("zone", weights), 1));
    return states.view();
  }

  /** Shard 0: primary started, one replica initializing, one relocating; shard 1: not allocated. */
  private static IndexMetadata recovering() {
    return ClusterStates.metadata("recovering", 2, 2, index -> index);
  }

  private static IndexRoutingTable recoveringTable() {
    Index index = recovering().getIndex();
    ShardId zero = new ShardId(index, 0);
    ShardRouting moving = ClusterStates.started(zero, true, false, "n0").relocate("n2", 10);
    ShardId one = new ShardId(index, 1);
    return IndexRoutingTable.builder(index)
        .addIndexShard(
            new IndexShardRoutingTable.Builder(zero)
                .addShard(moving)
                .addShard(ClusterStates.initializing(zero, false, false, "n1"))
                .build())
        .addIndexShard(
            new IndexShardRoutingTable.Builder(one)
                .addShard(
                    ShardRouting.newUnassigned(
                        one,
                        true,
                        org.opensearch.cluster.routing.RecoverySource.EmptyStoreRecoverySource
                            .INSTANCE,
                        new org.opensearch.cluster.routing.UnassignedInfo(
                            org.opensearch.cluster.routing.UnassignedInfo.Reason.INDEX_CREATED,
                            "test")))
                .build())
        .build();
  }

  /**
   * The targets equal those of OperationRouting: the same shards and copies, with tiers in its
   * order.
   */
  private static void assertSameAsNode(
      ClusterView view, @Nullable String preference, String... names) {
    List<ShardIterator> node = new ArrayList<>();
    view.routing().searchShards(view.state(), names, NO_ROUTING, preference).forEach(node::add);
    List<ShardTarget> targets = search(view, preference, names);
    assertThat(targets)
        .extracting(ShardTarget::shardId)
        .containsExactlyElementsOf(node.stream().map(ShardIterator::shardId).toList());
    for (int i = 0; i < node.size(); i++) {
      List<String> expected =
          node.get(i).getShardRoutings().stream()
              .map(routing -> routing.allocationId().getId())
              .toList();
      int from = 0;
      for (List<ShardCopy> tier : targets.get(i).tiers()) {
        assertThat(tier)
            .extracting(ShardCopy::allocationId)
            .containsExactlyInAnyOrderElementsOf(expected.subList(from, from + tier.size()));
        from += tier.size();
      }
      assertThat(from).isEqualTo(expected.size());
    }
  }

  private static List<ShardTarget> search(
      ClusterView view, @Nullable String preference, String... names) {
    return SearchShardResolver.resolve(view, indices(view, names), NO_ROUTING, preference, null);
  }

  private static List<Index> indices(ClusterView view, String... names) {
    return Arrays.stream(names).map(name -> index(view, name)).toList();
  }

  private static Index index(ClusterView view, String name) {
    return view.state().metadata().index(name).getIndex();
  }

  private static List<Set<String>> tierNodes(ShardTarget target) {
    return target.tiers().stream()
        .map(tier -> Set.copyOf(tier.stream().map(ShardCopy::nodeId).toList()))
        .toList();
  }
}
