package dev.weir.core.coordinate;

import java.util.function.LongSupplier;

/** Measures the phases of one search, one at a time. Confined to the request's event loop. */
final class PhaseTimer {
  private static final String REDUCE = "reduce";
  private static final String FETCH = "fetch";

  private final LongSupplier nanoClock;
  private long phaseStartNanos;
  private long fetchStartNanos;

  PhaseTimer(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  void startPhase() {
    phaseStartNanos = nanoClock.getAsLong();
  }

  /** Ends a round of shard calls: for the response's {@code phase_took}, and for metrics. */
  void endRound(String phase, SearchWork work) {
    endPhase(phase, work);
    report(phase, work);
  }

  /** Ends a phase of the response's {@code phase_took}. */
  void endPhase(String phase, SearchWork work) {
    work.recordPhaseTime(phase, nanoClock.getAsLong() - phaseStartNanos);
  }

  /** Reports the time since the phase started to the metrics. */
  void report(String phase, SearchWork work) {
    work.reportPhaseTime(phase, nanoClock.getAsLong() - phaseStartNanos);
  }

  /**
   * Reports the reduction, and starts the fetch. The phase goes on: OpenSearch counts both as its
   * {@code fetch} phase.
   */
  void endReduction(SearchWork work) {
    fetchStartNanos = nanoClock.getAsLong();
    work.reportPhaseTime(REDUCE, fetchStartNanos - phaseStartNanos);
  }

  void reportFetch(SearchWork work) {
    work.reportPhaseTime(FETCH, nanoClock.getAsLong() - fetchStartNanos);
  }
}
