package dev.weir.node.ceiling;

import java.util.concurrent.atomic.LongAdder;
import org.opensearch.common.lease.Releasable;
import org.opensearch.search.aggregations.MultiBucketConsumerService.MultiBucketConsumer;

/**
 * Counts the buckets that the aggregations of one shard collect, besides what OpenSearch's consumer
 * does. Safe on any thread.
 */
final class CeilingBucketConsumer extends MultiBucketConsumer implements Releasable {
  private final RequestAccount account;
  private final LongAdder collected = new LongAdder();

  /**
   * Creates a consumer that holds no buckets.
   *
   * @param limit the node's limit of buckets in a response
   */
  CeilingBucketConsumer(int limit, RequestAccount account) {
    super(limit, account);
    this.account = account;
  }

  /**
   * An aggregator calls with 0 for the first document of each bucket ({@code BucketsAggregator}).
   */
  @Override
  public void accept(int built) {
    super.accept(built);
    if (built == 0) {
      collected.increment();
      account.addBucket();
    }
  }

  /** Removes the buckets from the account; after collection has ended. */
  @Override
  public void close() {
    account.removeBuckets(collected.sumThenReset());
  }
}
