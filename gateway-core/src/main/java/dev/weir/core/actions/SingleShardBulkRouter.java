package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocumentShardResolver;
import dev.weir.cluster.IndexNameResolver;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.actions.merge.BulkMerger;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestPolicy;
import dev.weir.routing.write.BulkShardSelector;
import dev.weir.routing.write.MintedIdGenerator;
import dev.weir.routing.write.RoutingHashLayout;
import dev.weir.routing.write.WriteVolume;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.cluster.routing.OperationRouting;

/**
 * Sends the documents of a bulk that have neither id nor routing to one shard, under ids that
 * belong to it: reading one by its id needs no routing. Safe on any thread.
 */
public final class SingleShardBulkRouter {
  /** The index setting of the node's plugin that overrides the policy. */
  static final String SETTING = "index.bulk_routing.enabled";

  private static final int NO_VIRTUAL_SHARDS = -1;

  private final RequestPolicy.Section<BulkPolicy.SingleShard> section;
  private final BulkShardSelector shards;
  private final MintedIdGenerator mintedIds;
  private final BulkMerger merger;

  /**
   * Routes by the given policies.
   *
   * @param merging knows the bulks that should go to the same shard
   */
  public SingleShardBulkRouter(
      PolicySectionRegistry<BulkPolicy.SingleShard> sections,
      BulkShardSelector shards,
      MintedIdGenerator ids,
      BulkMerger merging) {
    this.section = sections.register((name, settings, before) -> settings);
    this.shards = shards;
    this.mintedIds = ids;
    this.merger = merging;
  }

  /** The documents of one bulk for one index; confined to its request's event loop. */
  static final class ShardAssignment {
    private final SingleShardBulkRouter router;
    private final IndexMetadata metadata;
    private final RoutingHashLayout space;
    private final int shard;
    private int documents;
    private long bytes;

    private ShardAssignment(
        SingleShardBulkRouter directing,
        IndexMetadata metadata,
        RoutingHashLayout space,
        int shard) {
      this.router = directing;
      this.metadata = metadata;
      this.space = space;
      this.shard = shard;
    }

    /**
     * Gives a document with a generated id another id that belongs to the shard.
     *
     * @return the shard; -1 where the index routes ids differently
     */
    int assign(IndexRequest document) {
      String id = router.mintedIds.next(space, shard);
      if (OperationRouting.generateShardId(metadata, id, null) != shard) {
        return -1;
      }
      document.id(id);
      documents++;
      bytes += document.source() == null ? 0 : document.source().length();
      return shard;
    }

    /** Ends the planning of documents. */
    void onPlanned() {
      if (documents > 0) {
        router.shards.recordPlacement(
            metadata.getIndexUUID(),
            metadata.getNumberOfShards(),
            shard,
            new WriteVolume(documents, bytes));
        documents = 0;
        bytes = 0;
      }
    }
  }

  /**
   * Returns whether documents may get another shard than that of their ids, or wait for other
   * bulks.
   *
   * @param named whether the client named their ids
   */
  boolean mayDirect(IndexMetadata metadata, String name, boolean named, RequestPolicy policy) {
    return merger.mayMerge(metadata, name, policy)
        || (!named && isEligible(metadata, name, policy.get(section)));
  }

  /**
   * Chooses the shard for a bulk's documents of an index.
   *
   * @param name the index name in the bulk
   * @param amount the approximate volume
   * @param policy the bulk's policy
   * @return null where each document's id decides
   */
  @Nullable ShardAssignment assign(
      ClusterView view,
      IndexMetadata metadata,
      String name,
      WriteVolume amount,
      RequestPolicy policy) {
    BulkPolicy.SingleShard settings = policy.get(section);
    if (!isEligible(metadata, name, settings)) {
      return null;
    }
    String[][] copies = DocumentShardResolver.writeNodes(view, metadata);
    int shard =
        merger.chooseShard(
            metadata,
            name,
            copies,
            amount,
            policy,
            () ->
                shards.choose(metadata.getIndexUUID(), copies, amount, settings.shardSelection()));
    if (shard < 0) {
      return null;
    }
    RoutingHashLayout space =
        new RoutingHashLayout(metadata.getRoutingNumShards(), metadata.getRoutingFactor());
    return new ShardAssignment(this, metadata, space, shard);
  }

  private static boolean isEligible(
      IndexMetadata metadata, String name, BulkPolicy.SingleShard policy) {
    if (metadata.getNumberOfShards() < policy.minShards()) {
      return false;
    }
    String setting = metadata.getSettings().get(SETTING);
    boolean wanted =
        setting == null
            ? IndexNameResolver.isMatch(policy.indices(), name, metadata.getIndex().getName())
            : Boolean.parseBoolean(setting);
    return wanted && isRoutedByIdOnly(metadata);
  }

  private static boolean isRoutedByIdOnly(IndexMetadata metadata) {
    MappingMetadata mapping = metadata.mapping();
    return !metadata.isRoutingPartitionedIndex()
        && metadata.getNumberOfVirtualShards() == NO_VIRTUAL_SHARDS
        && (mapping == null || !mapping.routingRequired())
        && !(metadata.isAppendOnlyIndex() && metadata.bulkAdaptiveShardSelectionEnabled());
  }
}
