package dev.weir.model;

import org.jspecify.annotations.Nullable;

/** Decides which requests are recorded as traces. Safe on any thread. */
@FunctionalInterface
public interface RequestTracer {
  /** Records nothing. */
  RequestTracer NONE = (parent, startedNanos) -> RequestTrace.NONE;

  /**
   * Starts the trace of a request.
   *
   * @param parent the client's {@code traceparent}; null for none
   * @param startedNanos when its first byte arrived, by {@link System#nanoTime}
   * @return {@link RequestTrace#NONE} if it is not recorded
   */
  RequestTrace start(@Nullable String parent, long startedNanos);
}
