package dev.weir.core.reduce.sample;

import java.util.function.IntConsumer;

/**
 * What estimates are made with.
 *
 * @param estimator knows the shards that answered
 * @param paying hears of buckets that are going to be held, and throws where there is no room
 */
record Work(Estimator estimator, IntConsumer paying) {
  void payFor(int buckets) {
    paying.accept(buckets);
  }
}
