package dev.weir.gateway.cluster;

import dev.weir.model.ShardCopy;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.Preference;
import org.opensearch.cluster.routing.ShardIterator;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/**
 * Answers which shard holds a document and which copies may answer, exactly as OpenSearch's {@code
 * OperationRouting.getShards} does. Pure; safe on any thread.
 */
public final class DocShards {
  private DocShards() {}

  /** The shard of a document; routing is the effective one, null when there is none. */
  public static ShardId shard(ClusterView view, Index index, String id, @Nullable String routing) {
    return view.routing().shardId(view.state(), index.getName(), id, routing);
  }

  /**
   * The shard of a document and the copies that may answer a read.
   *
   * @return null for a {@code _shards} preference that leaves the document's shard out
   */
  public static @Nullable ShardTarget read(
      ClusterView view,
      Index index,
      String id,
      @Nullable String routing,
      @Nullable String preference) {
    return target(
        view,
        view.routing().getShards(view.state(), index.getName(), id, routing, preference),
        preference);
  }

  /** The copies of a shard that may answer a read; null as in the other method. */
  public static @Nullable ShardTarget read(
      ClusterView view, ShardId shard, @Nullable String preference) {
    return target(
        view,
        view.routing().getShards(view.state(), shard.getIndexName(), shard.id(), preference),
        preference);
  }

  /**
   * The preference that a get is routed with: realtime gets of segment-replicated indices go to the
   * primary.
   */
  public static @Nullable String getPreference(
      ClusterView view, Index index, boolean realtime, @Nullable String preference) {
    return realtime
            && preference == null
            && view.state().metadata().isSegmentReplicationEnabled(index.getName())
        ? Preference.PRIMARY.type()
        : preference;
  }

  /** The active primary, where writes go; null while there is none. */
  public static @Nullable ShardCopy primary(ClusterView view, ShardId shard) {
    IndexRoutingTable index = view.state().routingTable().index(shard.getIndex());
    IndexShardRoutingTable table =
        index == null || !index.getIndex().equals(shard.getIndex())
            ? null
            : index.shard(shard.id());
    ShardRouting primary = table == null ? null : table.primaryShard();
    return primary == null || !primary.active()
        ? null
        : CopyTiers.copy(view.state().nodes(), primary);
  }

  private static @Nullable ShardTarget target(
      ClusterView view, @Nullable ShardIterator copies, @Nullable String preference) {
    return copies == null ? null : CopyTiers.of(view, preference).target(copies);
  }
}
