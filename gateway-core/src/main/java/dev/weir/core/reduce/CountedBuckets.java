package dev.weir.core.reduce;

import org.opensearch.search.aggregations.MultiBucketConsumerService.MultiBucketConsumer;

/**
 * Hears of the buckets of a final reduction: bounds their number as a node does, and has those paid
 * for that no node sent. OpenSearch says "none" for each of these before it goes on to the next,
 * and counts them with the others at the end. Confined to the reduction's thread.
 */
final class CountedBuckets extends MultiBucketConsumer {
  private static final int PAID_AT_ONCE = 256;

  private final RequestBreaker breaker;
  private int left;

  CountedBuckets(int limit, RequestBreaker breaker) {
    super(limit, breaker);
    this.breaker = breaker;
  }

  @Override
  public void accept(int buckets) {
    if (buckets == 0 && --left < 0) {
      breaker.makeBuckets(PAID_AT_ONCE);
      left = PAID_AT_ONCE - 1;
    }
    super.accept(buckets);
  }
}
