package dev.weir.model;

import org.jspecify.annotations.Nullable;

/** Decides which requests are recorded as traces. Safe on any thread. */
@FunctionalInterface
public interface RequestTracer {
  /** Records nothing. */
  RequestTracer NONE = (parent, startedNanos) -> RequestTrace.NONE;

  /**
   * A request begins.
   *
   * @param parent what its client says in {@code traceparent}; null for nothing
   * @param startedNanos when its first byte came, by {@link System#nanoTime}
   * @return {@link RequestTrace#NONE} when it is not recorded
   */
  RequestTrace start(@Nullable String parent, long startedNanos);
}
