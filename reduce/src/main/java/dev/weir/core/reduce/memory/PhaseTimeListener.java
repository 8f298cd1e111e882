package dev.weir.core.reduce.memory;

/** Receives the durations of search phases. Safe on any thread. */
@FunctionalInterface
public interface PhaseTimeListener {
  /** Ignores everything. */
  PhaseTimeListener NOOP = (phase, nanos) -> {};

  /** A phase, such as {@code query}, ended after so many nanoseconds. */
  void onPhaseEnd(String phase, long nanos);
}
