package dev.weir.core.reduce.memory;

/** Hears how long the parts of searches took. Safe on any thread. */
@FunctionalInterface
public interface PhaseTimeListener {
  /** Nobody listens. */
  PhaseTimeListener NOOP = (phase, nanos) -> {};

  /** A phase has ended, such as {@code query}. */
  void onPhaseEnd(String phase, long nanos);
}
