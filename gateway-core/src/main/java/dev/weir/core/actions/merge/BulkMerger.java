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

/**
 * Which small bulks go to their shards together with others', by their policies, and how many did.
 * Safe on any thread.
 */
public final class BulkMerger {
  private final LongSupplier nanoTime;
  private final BulkMergeCounts counts = new BulkMergeCounts();
  private final MergeShardSelector shards;
  private final RequestPolicy.Section<BulkPolicy.Merge> section;

  /**
   * Creates one. *
   *
   * @param nanoTime a monotonic clock, nanoseconds
   */
  public BulkMerger(PolicySectionRegistry<BulkPolicy.Merge> sections, LongSupplier nanoTime) {
    this.section = sections.register((name, says, before) -> says);
    this.nanoTime = nanoTime;
    this.shards = new MergeShardSelector(nanoTime);
  }

  /** What became of small bulks. */
  public BulkMergeCounts counts() {
    return counts;
  }

  /** A sender that lets parts of small bulks wait for others and sends them in one call. */
  public NodeSender wrap(NodeSender sender, DelayScheduler delays) {
    return new MergingBulkSender(this, sender, delays, nanoTime);
  }

  /**
   * The shard for some documents that may go to any: small bulks that come close together go to the
   * same one, else there would be nothing to go with.
   *
   * @param name the index as the bulk calls it
   * @param copies the nodes of each shard's copies; none where no primary is active
   * @param amount how much there is, about
   * @param policy that the bulk goes by
   * @param fresh chooses a shard
   * @return -1 when no shard has an active primary
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

  BulkPolicy.Merge policyOf(RequestPolicy policy) {
    return policy.get(section);
  }
}
