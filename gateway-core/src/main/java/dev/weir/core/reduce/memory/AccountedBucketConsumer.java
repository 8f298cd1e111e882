package dev.weir.core.reduce.memory;

import org.opensearch.search.aggregations.MultiBucketConsumerService.MultiBucketConsumer;

/**
 * Hears of the buckets of a final reduction: bounds their number as a node does, and has those paid
 * for that no node sent. OpenSearch says "none" for each of these before it goes on to the next,
 * and counts them with the others at the end. Confined to the reduction's thread.
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
