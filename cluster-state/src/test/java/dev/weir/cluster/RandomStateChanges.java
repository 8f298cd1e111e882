package dev.weir.cluster;

import static dev.weir.cluster.ClusterStates.initializing;

import dev.weir.cluster.read.Identity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlocks;
import org.opensearch.cluster.metadata.AliasMetadata;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.IndexTemplateMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/**
 * Changes a cluster state at random, as clusters do: one thing at a time, with the next version,
 * and the next metadata version if the metadata changed. Confined to one thread.
 */
public final class RandomStateChanges {
  private final Random random;
  private int created;

  public RandomStateChanges(Random random) {
    this.random = random;
  }

  /** Returns a state with some nodes and indices. */
  public static ClusterState start(int nodes, int indices) {
    ClusterStates states = ClusterStates.ofNodes(nodes);
    for (int i = 0; i < indices; i++) {
      states.index("start-" + i, 1 + i % 4, 1);
    }
    return states.build(1, 1);
  }

  /** Returns the state after one change. */
  public ClusterState next(ClusterState state) {
    ClusterState changed = change(state);
    Metadata metadata = changed.metadata();
    if (!Identity.isSame(metadata, state.metadata())) {
      metadata = Metadata.builder(metadata).version(state.metadata().version() + 1).build();
    }
    return ClusterState.builder(changed)
        .metadata(metadata)
        .version(state.version() + 1)
        .stateUUID("state-" + (state.version() + 1))
        .build();
  }

  private ClusterState change(ClusterState state) {
    return switch (random.nextInt(13)) {
      case 0 -> createIndex(state);
      case 1 -> deleteIndex(state);
      case 2 -> changeMapping(state);
      case 3 -> addAlias(state);
      case 4 -> changeSetting(state);
      case 5 -> joinNode(state);
      case 6 -> leaveNode(state);
      case 7 -> changeTemplates(state);
      case 8 -> changeClusterSetting(state);
      case 9 -> block(state);
      default -> moveShard(state);
    };
  }

  private String pick(ClusterState state) {
    List<String> names = new ArrayList<>(state.metadata().indices().keySet());
    return names.get(random.nextInt(names.size()));
  }

  private static List<String> dataNodes(ClusterState state) {
    return List.copyOf(state.nodes().getDataNodes().keySet());
  }

  private ClusterState createIndex(ClusterState state) {
    String name = "created-" + created++;
    int shards = 1 + random.nextInt(4);
    IndexMetadata index = ClusterStates.metadata(name, shards, 1, UnaryOperator.identity());
    List<String> nodes = dataNodes(state);
    IndexRoutingTable.Builder table = IndexRoutingTable.builder(index.getIndex());
    for (int shard = 0; shard < shards; shard++) {
      ShardId id = new ShardId(index.getIndex(), shard);
      table.addIndexShard(
          new IndexShardRoutingTable.Builder(id)
              .addShard(initializing(id, true, false, nodes.get(shard % nodes.size())))
              .build());
    }
    return ClusterState.builder(state)
        .metadata(Metadata.builder(state.metadata()).put(index, false))
        .routingTable(RoutingTable.builder(state.routingTable()).add(table.build()).build())
        .build();
  }

  private ClusterState deleteIndex(ClusterState state) {
    if (state.metadata().indices().size() < 3) {
      return createIndex(state);
    }
    String name = pick(state);
    return ClusterState.builder(state)
        .metadata(Metadata.builder(state.metadata()).remove(name))
        .routingTable(RoutingTable.builder(state.routingTable()).remove(name).build())
        .build();
  }

  private ClusterState changeIndex(
      ClusterState state, UnaryOperator<IndexMetadata.Builder> change) {
    IndexMetadata index = state.metadata().index(pick(state));
    return ClusterState.builder(state)
        .metadata(
            Metadata.builder(state.metadata()).put(change.apply(IndexMetadata.builder(index))))
        .build();
  }

  private ClusterState changeMapping(ClusterState state) {
    String field = "field-" + random.nextInt(1000);
    return changeIndex(
        state,
        index ->
            index
                .putMapping(ClusterStates.mapping(field))
                .mappingVersion(index.mappingVersion() + 1));
  }

  private ClusterState addAlias(ClusterState state) {
    return changeIndex(
        state,
        index -> {
          String name = "alias-" + random.nextInt(20);
          return random.nextInt(4) == 0
              ? index.removeAlias(name)
              : index.putAlias(AliasMetadata.builder(name).routing("r" + random.nextInt(5)));
        });
  }

  private ClusterState changeSetting(ClusterState state) {
    return changeIndex(
        state,
        index ->
            index.settings(
                Settings.builder()
                    .put(index.build().getSettings())
                    .put("index.refresh_interval", (1 + random.nextInt(60)) + "s")));
  }

  private ClusterState joinNode(ClusterState state) {
    DiscoveryNode joined = ClusterStates.node(100 + random.nextInt(100));
    return state.nodes().nodeExists(joined.getId())
        ? moveShard(state)
        : ClusterState.builder(state)
            .nodes(DiscoveryNodes.builder(state.nodes()).add(joined))
            .build();
  }

  private ClusterState leaveNode(ClusterState state) {
    Set<String> unused = new HashSet<>(dataNodes(state));
    state
        .routingTable()
        .allShards()
        .forEach(copy -> {
          unused.remove(copy.currentNodeId());
          unused.remove(copy.relocatingNodeId());
        });
    unused.remove(state.nodes().getClusterManagerNodeId());
    return unused.isEmpty()
        ? joinNode(state)
        : ClusterState.builder(state)
            .nodes(DiscoveryNodes.builder(state.nodes()).remove(unused.iterator().next()))
            .build();
  }

  private ClusterState changeTemplates(ClusterState state) {
    String name = "template-" + random.nextInt(3);
    Metadata.Builder metadata = Metadata.builder(state.metadata());
    if (state.metadata().templates().containsKey(name)) {
      metadata.removeTemplate(name);
    } else {
      metadata.put(IndexTemplateMetadata.builder(name).patterns(List.of("t-*")).build());
    }
    return ClusterState.builder(state).metadata(metadata).build();
  }

  private ClusterState changeClusterSetting(ClusterState state) {
    Settings changed = Settings.builder().put("search.max_buckets", random.nextInt(9)).build();
    return ClusterState.builder(state)
        .metadata(Metadata.builder(state.metadata()).persistentSettings(changed))
        .build();
  }

  private ClusterState block(ClusterState state) {
    String name = pick(state);
    return ClusterState.builder(state)
        .blocks(
            ClusterBlocks.builder()
                .blocks(state.blocks())
                .addIndexBlock(name, IndexMetadata.INDEX_READ_ONLY_BLOCK))
        .build();
  }

  /** Starts or ends the relocation of a shard, or starts an initializing copy. */
  private ClusterState moveShard(ClusterState state) {
    Index index = state.metadata().index(pick(state)).getIndex();
    IndexRoutingTable table = state.routingTable().index(index);
    int moved = random.nextInt(table.shards().size());
    IndexRoutingTable.Builder changed = IndexRoutingTable.builder(index);
    Map<Integer, IndexShardRoutingTable> shards = table.shards();
    shards.forEach(
        (number, shard) -> changed.addIndexShard(number == moved ? move(state, shard) : shard));
    return ClusterState.builder(state)
        .routingTable(RoutingTable.builder(state.routingTable()).add(changed.build()).build())
        .build();
  }

  private IndexShardRoutingTable move(ClusterState state, IndexShardRoutingTable shard) {
    List<ShardRouting> copies = new ArrayList<>(shard.shards());
    int i = random.nextInt(copies.size());
    ShardRouting copy = copies.get(i);
    if (copy.initializing()) {
      copies.set(i, copy.moveToStarted());
    } else if (copy.relocating()) {
      copies.set(i, copy.getTargetRelocatingShard().moveToStarted());
    } else {
      List<String> free = new ArrayList<>(dataNodes(state));
      copies.forEach(used -> {
        free.remove(used.currentNodeId());
        free.remove(used.relocatingNodeId());
      });
      if (!free.isEmpty()) {
        copies.set(i, copy.relocate(free.get(random.nextInt(free.size())), 0));
      }
    }
    IndexShardRoutingTable.Builder changed = new IndexShardRoutingTable.Builder(shard.shardId());
    copies.forEach(changed::addShard);
    return changed.build();
  }
}
