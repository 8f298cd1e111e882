package dev.weir.bench.simulation;

import org.jspecify.annotations.Nullable;

/**
 * The request whose copy a gateway is selecting. {@link dev.weir.routing.ReplicaSelector} does not
 * pass it, and some strategies need its true cost or its cache key.
 */
final class CurrentRequest {
  private @Nullable SimulatedShardRequest request;

  void set(@Nullable SimulatedShardRequest current) {
    this.request = current;
  }

  /** Returns the request. Throws outside of a selection. */
  SimulatedShardRequest get() {
    SimulatedShardRequest current = request;
    if (current == null) {
      throw new IllegalStateException("got no request (expected: one that is being routed)");
    }
    return current;
  }
}
