package dev.weir.bench.simulation;

import dev.weir.model.ShardCopy;
import dev.weir.routing.HedgePlanner;

/** Decides when a simulated gateway sends a second request for a late one. */
interface SimulatedHedging {
  /** Records a first request; returns the delay of its check in nanoseconds, -1 for none. */
  long onFirstSent(SimulatedAttempt first);

  /**
   * Returns true if the gateway should send a second request now.
   *
   * @param other the best copy on another node
   * @param requestsWait whether requests wait at the gateway
   */
  boolean tryHedge(SimulatedAttempt first, ShardCopy other, boolean requestsWait);

  /** Returns the delay of the next check in nanoseconds; -1 for none. */
  long recheckDelayNanos(SimulatedAttempt first, long waitedNanos);

  /** Records the response to a request or to its second request. */
  void onResponse(SimulatedAttempt first);

  /** The gateway's own. */
  record Planned(HedgePlanner planner) implements SimulatedHedging {
    @Override
    public long onFirstSent(SimulatedAttempt first) {
      return planner.onFirstSent(first.outstanding);
    }

    @Override
    public boolean tryHedge(SimulatedAttempt first, ShardCopy other, boolean requestsWait) {
      return planner.tryHedge(first.outstanding, other, requestsWait);
    }

    @Override
    public long recheckDelayNanos(SimulatedAttempt first, long waitedNanos) {
      return planner.recheckDelayNanos(first.outstanding, waitedNanos);
    }

    @Override
    public void onResponse(SimulatedAttempt first) {
      planner.onResponse(first.outstanding);
    }
  }
}
