package dev.weir.core.actions;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.actions.merge.BulkMerging;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocShards;
import dev.weir.cluster.IndexNames;
import dev.weir.model.PolicySections;
import dev.weir.model.RequestPolicy;
import dev.weir.routing.write.Amount;
import dev.weir.routing.write.DirectedShards;
import dev.weir.routing.write.HashSpace;
import dev.weir.routing.write.MintedIds;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.cluster.routing.OperationRouting;

/**
 * Sends the documents of a bulk that have neither id nor routing to one shard, under ids that
 * belong to it: who reads one by its id needs no routing. Safe on any thread.
 */
public final class DirectedBulks {
  /** The index setting that turns it on or off, whatever the policy says; of the node's plugin. */
  static final String SETTING = "index.bulk_routing.enabled";

  private static final int NOT_VIRTUAL = -1;

  private final RequestPolicy.Section<BulkPolicy.Directed> section;
  private final DirectedShards shards;
  private final MintedIds ids;
  private final BulkMerging merging;

  /**
   * Makes one.
   *
   * @param merging knows the bulks that should go to the same shard
   */
  public DirectedBulks(
      PolicySections<BulkPolicy.Directed> sections,
      DirectedShards shards,
      MintedIds ids,
      BulkMerging merging) {
    this.section = sections.add((name, says, before) -> says);
    this.shards = shards;
    this.ids = ids;
    this.merging = merging;
  }

  /**
   * What one bulk has for one index; confined to its request's home.
   *
   * @see #of
   */
  static final class Direction {
    private final DirectedBulks directing;
    private final IndexMetadata metadata;
    private final HashSpace space;
    private final int shard;
    private int documents;
    private long bytes;

    private Direction(DirectedBulks directing, IndexMetadata metadata, HashSpace space, int shard) {
      this.directing = directing;
      this.metadata = metadata;
      this.space = space;
      this.shard = shard;
    }

    /**
     * Gives a document that has a generated id another one, which takes it to the shard.
     *
     * @return the shard; -1 where the index has another idea of where ids go
     */
    int direct(IndexRequest document) {
      String id = directing.ids.next(space, shard);
      if (OperationRouting.generateShardId(metadata, id, null) != shard) {
        return -1;
      }
      document.id(id);
      documents++;
      bytes += document.source() == null ? 0 : document.source().length();
      return shard;
    }

    /** All documents are planned. */
    void planned() {
      if (documents > 0) {
        directing.shards.directed(
            metadata.getIndexUUID(),
            metadata.getNumberOfShards(),
            shard,
            new Amount(documents, bytes));
        documents = 0;
        bytes = 0;
      }
    }
  }

  /**
   * The direction of a bulk's documents for an index.
   *
   * @param name as the bulk has it
   * @param amount how much there is, about
   * @param policy that the bulk goes by
   * @return null where they go by their ids
   */
  @Nullable Direction of(
      ClusterView view, IndexMetadata metadata, String name, Amount amount, RequestPolicy policy) {
    BulkPolicy.Directed says = policy.of(section);
    if (!isDirected(metadata, name, says)) {
      return null;
    }
    String[][] copies = DocShards.writtenTo(view, metadata);
    int shard =
        merging.shard(
            metadata,
            name,
            copies,
            amount,
            policy,
            () -> shards.choose(metadata.getIndexUUID(), copies, amount, says.choice()));
    if (shard < 0) {
      return null;
    }
    HashSpace space = new HashSpace(metadata.getRoutingNumShards(), metadata.getRoutingFactor());
    return new Direction(this, metadata, space, shard);
  }

  private static boolean isDirected(
      IndexMetadata metadata, String name, BulkPolicy.Directed policy) {
    if (metadata.getNumberOfShards() < policy.minShards()) {
      return false;
    }
    String said = metadata.getSettings().get(SETTING);
    boolean wanted =
        said == null
            ? IndexNames.isNamed(policy.indices(), name, metadata.getIndex().getName())
            : Boolean.parseBoolean(said);
    return wanted && goesByIdAlone(metadata);
  }

  private static boolean goesByIdAlone(IndexMetadata metadata) {
    MappingMetadata mapping = metadata.mapping();
    return !metadata.isRoutingPartitionedIndex()
        && metadata.getNumberOfVirtualShards() == NOT_VIRTUAL
        && (mapping == null || !mapping.routingRequired())
        && !(metadata.isAppendOnlyIndex() && metadata.bulkAdaptiveShardSelectionEnabled());
  }
}
