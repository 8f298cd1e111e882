package dev.weir.core.reduce.memory;

import org.opensearch.search.aggregations.MultiBucketConsumerService.MultiBucketConsumer;

/**
 * Counts the buckets of a final reduction: bounds their number as a node does, and accounts for
 * buckets that no node sent. OpenSearch reports zero for each of those before it goes on to the
 * next, and counts them with the others at the end. Confined to the reduction's thread.
 */
final class AccountedBucketConsumer extends MultiBucketConsumer {
  private static final int ACCOUNTING_BATCH = 256;

  private final SearchCircuitBreaker breaker;
  private int remaining;

  AccountedBucketConsumer(int limit, SearchCircuitBreaker breaker) {
    super(limit, breaker);
    this.breaker = breaker;
  }

  @Override
  public void accept(int buckets) {
    if (buckets == 0 && --remaining < 0) {
      breaker.reserveBuckets(ACCOUNTING_BATCH);
      remaining = ACCOUNTING_BATCH - 1;
    }
    super.accept(buckets);
  }
}
