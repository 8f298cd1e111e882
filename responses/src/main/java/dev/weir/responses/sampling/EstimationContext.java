package dev.weir.responses.sampling;

import java.util.function.IntConsumer;

/**
 * What estimates are made with.
 *
 * @param estimator knows the shards that answered
 * @param bucketReservation hears of buckets that are going to be held, and throws where there is no
 *     room
 */
record EstimationContext(StratifiedEstimator estimator, IntConsumer bucketReservation) {
  void reserveBuckets(int buckets) {
    bucketReservation.accept(buckets);
  }
}
