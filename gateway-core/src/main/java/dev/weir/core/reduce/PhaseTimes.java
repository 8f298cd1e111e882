package dev.weir.core.reduce;

/** Hears how long the parts of searches took. Safe on any thread. */
@FunctionalInterface
public interface PhaseTimes {
  /** Nobody listens. */
  PhaseTimes UNHEARD = (phase, nanos) -> {};

  /** A phase has ended, such as {@code query}. */
  void took(String phase, long nanos);
}
