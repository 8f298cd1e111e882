package dev.weir.responses.sampling;

import java.util.function.IntConsumer;

/**
 * The services for estimates of one response.
 *
 * @param estimator extrapolates from the shards that responded
 * @param bucketReservation reserves memory for a number of buckets; throws if the limit is reached
 */
record EstimationContext(StratifiedEstimator estimator, IntConsumer bucketReservation) {
  void reserveBuckets(int buckets) {
    bucketReservation.accept(buckets);
  }
}
