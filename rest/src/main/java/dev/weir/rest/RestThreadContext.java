package dev.weir.rest;

import org.opensearch.common.logging.HeaderWarning;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.common.util.concurrent.ThreadContext.StoredContext;
import org.opensearch.common.util.concurrent.ThreadContextInternals;
import org.opensearch.threadpool.ThreadPool;

/**
 * The {@link ThreadContext} in which OpenSearch's classes find a request's headers and store
 * deprecation warnings. On an event loop, every task of a request runs in the request's own
 * context. One per process; safe on any thread.
 *
 * <p>It contains a {@link ThreadPool}, because OpenSearch's clients require one; the pool's threads
 * are never used.
 */
public final class RestThreadContext implements AutoCloseable {
  private final ThreadPool threadPool;
  private final StoredContext empty;

  /**
   * Creates the thread context and registers it with {@link HeaderWarning}.
   *
   * @param settings must name the node ({@code node.name})
   */
  public RestThreadContext(Settings settings) {
    this.threadPool =
        new ThreadPool(
            Settings.builder()
                .put(settings)
                .put(ThreadPool.ESTIMATED_TIME_INTERVAL_SETTING.getKey(), "0ms")
                .build());
    this.empty = threadPool.getThreadContext().newStoredContext(false);
    HeaderWarning.setThreadContext(threadPool.getThreadContext());
  }

  public ThreadContext threadContext() {
    return threadPool.getThreadContext();
  }

  /**
   * Returns an empty context. {@link ThreadContext#stashContext} is not empty: it keeps {@code
   * X-Opaque-Id}, and a request may start while another one's response is being sent.
   */
  StoredContext empty() {
    return empty;
  }

  /**
   * Returns what restores this thread's present context. Between requests that is the empty
   * context, of which no snapshot has to be taken.
   */
  StoredContext snapshot() {
    ThreadContext present = threadContext();
    return ThreadContextInternals.isDefault(present) ? empty : present.newStoredContext(false);
  }

  /** Returns this thread's present context, to be compared with a later one. */
  Object present() {
    return ThreadContextInternals.present(threadContext());
  }

  /** Returns whether a thread's earlier context is still that of this thread. */
  @SuppressWarnings("ReferenceEquality") // a change puts another object in its place
  boolean isPresent(Object earlier) {
    return present() == earlier;
  }

  ThreadPool threadPool() {
    return threadPool;
  }

  /** Stops collecting warnings. */
  @Override
  public void close() {
    HeaderWarning.removeThreadContext(threadPool.getThreadContext());
    threadPool.shutdownNow();
  }
}
