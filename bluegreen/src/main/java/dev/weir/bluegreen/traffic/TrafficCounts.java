package dev.weir.bluegreen.traffic;

import dev.weir.model.HttpStatus;
import java.util.concurrent.atomic.LongAdder;

/** Counts the requests of one policy to one cluster, by outcome. Safe on any thread. */
final class TrafficCounts {

  private final String cluster;
  private final String policy;
  private final LongAdder requests = new LongAdder();
  private final LongAdder errors = new LongAdder();

  TrafficCounts(String cluster, String policy) {
    this.cluster = cluster;
    this.policy = policy;
  }

  String cluster() {
    return cluster;
  }

  String policy() {
    return policy;
  }

  void onRequestEnd(int status) {
    requests.increment();
    if (status >= HttpStatus.INTERNAL_SERVER_ERROR) {
      errors.increment();
    }
  }

  long requests() {
    return requests.sum();
  }

  long errors() {
    return errors.sum();
  }
}
