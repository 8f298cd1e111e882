package dev.weir.core.actions.warmup;

import dev.weir.cluster.ClusterView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/** Finds the copies of shards that are new on their node, by comparing views. */
final class NewCopies {
  /** A started copy of a shard. */
  record NewCopy(ShardId shard, String nodeId, String allocationId) {}

  private NewCopies() {}

  /**
   * Returns the started copies that were not started before on the same run of the same node, if
   * other copies of their shard are started too. An only copy has to serve at once.
   *
   * @param indices where to look
   */
  static List<NewCopy> find(ClusterView before, ClusterView now, Collection<Index> indices) {
    List<NewCopy> found = new ArrayList<>();
    if (!before.isSameCluster(now)) {
      return found;
    }
    for (Index index : indices) {
      IndexRoutingTable table = now.state().routingTable().index(index);
      IndexRoutingTable old = before.state().routingTable().index(index);
      if (table == null || old == null) {
        continue; // the first copies of a new index have nothing to load
      }
      for (IndexShardRoutingTable shard : table) {
        List<ShardRouting> active = shard.activeShards();
        if (active.size() > 1) {
          addNew(active, startedBefore(old.shard(shard.shardId().id()), before, now), found);
        }
      }
    }
    return found;
  }

  private static void addNew(List<ShardRouting> active, Set<String> before, List<NewCopy> found) {
    for (ShardRouting copy : active) {
      if (copy.allocationId() != null && !before.contains(copy.allocationId().getId())) {
        found.add(new NewCopy(copy.shardId(), copy.currentNodeId(), copy.allocationId().getId()));
      }
    }
  }

  /** Returns the allocation ids of copies that were started, on nodes that still run. */
  private static Set<String> startedBefore(
      @Nullable IndexShardRoutingTable shard, ClusterView before, ClusterView now) {
    Set<String> started = new HashSet<>();
    if (shard != null) {
      for (ShardRouting copy : shard.activeShards()) {
        if (copy.allocationId() != null && stillRuns(copy.currentNodeId(), before, now)) {
          started.add(copy.allocationId().getId());
        }
      }
    }
    return started;
  }

  /** Returns whether a node is there and has not restarted. */
  private static boolean stillRuns(String nodeId, ClusterView before, ClusterView now) {
    DiscoveryNode was = before.state().nodes().get(nodeId);
    DiscoveryNode is = now.state().nodes().get(nodeId);
    return was != null && is != null && was.getEphemeralId().equals(is.getEphemeralId());
  }

  /** Returns whether a copy is started in a view. */
  static boolean isStarted(NewCopy copy, ClusterView view) {
    IndexRoutingTable table = view.state().routingTable().index(copy.shard().getIndex());
    IndexShardRoutingTable shard = table == null ? null : table.shard(copy.shard().id());
    return shard != null
        && shard.activeShards().stream()
            .anyMatch(active ->
                active.allocationId() != null
                    && active.allocationId().getId().equals(copy.allocationId())
                    && copy.nodeId().equals(active.currentNodeId()));
  }
}
