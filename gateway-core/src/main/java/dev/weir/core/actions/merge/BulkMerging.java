package dev.weir.core.actions.merge;

import dev.weir.config.policy.BulkPolicy;
import dev.weir.cluster.IndexNames;
import dev.weir.core.coordinate.Delays;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.model.PolicySections;
import dev.weir.model.RequestPolicy;
import dev.weir.routing.write.Amount;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.opensearch.cluster.metadata.IndexMetadata;

/**
 * Which small bulks go to their shards together with others', by their policies, and how many did.
 * Safe on any thread.
 */
public final class BulkMerging {
  private final LongSupplier nanoTime;
  private final MergeCounts counts = new MergeCounts();
  private final SharedShards shards;
  private final RequestPolicy.Section<BulkPolicy.Merge> section;

  /**
   * Makes one.
   *
   * @param nanoTime a monotonic clock, nanoseconds
   */
  public BulkMerging(PolicySections<BulkPolicy.Merge> sections, LongSupplier nanoTime) {
    this.section = sections.add((name, says, before) -> says);
    this.nanoTime = nanoTime;
    this.shards = new SharedShards(nanoTime);
  }

  /** What became of small bulks. */
  public MergeCounts counts() {
    return counts;
  }

  /** A sender that lets parts of small bulks wait for others and sends them in one call. */
  public NodeSender over(NodeSender sender, Delays delays) {
    return new MergingSender(this, sender, delays, nanoTime);
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
  public int shard(
      IndexMetadata index,
      String name,
      String[][] copies,
      Amount amount,
      RequestPolicy policy,
      IntSupplier fresh) {
    BulkPolicy.Merge now = policy(policy);
    if (amount.documents() > now.small()
        || !IndexNames.isNamed(now.indices(), name, index.getIndex().getName())) {
      return fresh.getAsInt();
    }
    return shards.choose(now, index.getIndexUUID(), copies, amount.documents(), fresh);
  }

  BulkPolicy.Merge policy(RequestPolicy policy) {
    return policy.of(section);
  }
}
