package dev.weir.core.actions.merge;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.config.policy.BulkPolicy;
import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestPolicy;
import dev.weir.routing.write.WriteVolume;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.opensearch.cluster.metadata.IndexMetadata;

/** Decides by policy which small bulks are merged, and counts them. Safe on any thread. */
public final class BulkMerger {
  private final LongSupplier nanoTime;
  private final BulkMergeCounts counts = new BulkMergeCounts();
  private final MergeShardSelector shards;
  private final RequestPolicy.Section<BulkPolicy.Merge> section;

  /**
   * Creates a merger.
   *
   * @param nanoTime a monotonic clock, nanoseconds
   */
  public BulkMerger(PolicySectionRegistry<BulkPolicy.Merge> sections, LongSupplier nanoTime) {
    this.section = sections.register((name, settings, before) -> settings);
    this.nanoTime = nanoTime;
    this.shards = new MergeShardSelector(nanoTime);
  }

  /** Returns the counts of outcomes. */
  public BulkMergeCounts counts() {
    return counts;
  }

  /** Wraps a sender so that parts of small bulks wait for others and are sent in one call. */
  public NodeSender wrap(NodeSender sender, DelayScheduler delays) {
    return new MergingBulkSender(this, sender, delays, nanoTime);
  }

  /**
   * Chooses the shard of documents that may go to any shard. Small bulks that arrive close together
   * get the same shard, because otherwise there would be nothing to merge.
   *
   * @param name the index name in the bulk
   * @param copies the nodes of each shard's copies; none without an active primary
   * @param amount the approximate volume
   * @param policy the policy of the bulk
   * @param fresh chooses a new shard
   * @return -1 if no shard has an active primary
   */
  public int chooseShard(
      IndexMetadata index,
      String name,
      String[][] copies,
      WriteVolume amount,
      RequestPolicy policy,
      IntSupplier fresh) {
    BulkPolicy.Merge now = policyOf(policy);
    if (amount.documents() > now.maxItems()
        || !IndexNameResolver.isMatch(now.indices(), name, index.getIndex().getName())) {
      return fresh.getAsInt();
    }
    return shards.choose(now, index.getIndexUUID(), copies, amount.documents(), fresh);
  }

  /** Returns whether small bulks for an index are merged. */
  public boolean mayMerge(IndexMetadata index, String name, RequestPolicy policy) {
    return IndexNameResolver.isMatch(policyOf(policy).indices(), name, index.getIndex().getName());
  }

  BulkPolicy.Merge policyOf(RequestPolicy policy) {
    return policy.get(section);
  }
}
