package dev.weir.model;

import org.jspecify.annotations.Nullable;

/** Decides which requests are recorded as traces. Safe on any thread. */
@FunctionalInterface
public interface Traces {
  /** Records nothing. */
  Traces NONE = (parent, startedNanos) -> Trace.NONE;

  /**
   * A request begins.
   *
   * @param parent what its client says in {@code traceparent}; null for nothing
   * @param startedNanos when its first byte came, by {@link System#nanoTime}
   * @return {@link Trace#NONE} when it is not recorded
   */
  Trace begin(@Nullable String parent, long startedNanos);
}
