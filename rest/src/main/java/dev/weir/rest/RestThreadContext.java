package dev.weir.rest;

import org.opensearch.common.logging.HeaderWarning;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.common.util.concurrent.ThreadContext.StoredContext;
import org.opensearch.threadpool.ThreadPool;

/**
 * The {@link ThreadContext} that OpenSearch's classes find a request's headers in and put its
 * deprecation warnings into. On a request's home every task of the request runs in the request's
 * own. One a process is enough; safe on any thread.
 *
 * <p>It comes with a {@link ThreadPool}, because OpenSearch's clients ask that for it; the pool's
 * threads are never used.
 */
public final class RestThreadContext implements AutoCloseable {
  private final ThreadPool threadPool;
  private final StoredContext empty;

  /**
   * Makes it, and makes it the one that {@link HeaderWarning} writes to.
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

  /** The thread context itself. */
  public ThreadContext threadContext() {
    return threadPool.getThreadContext();
  }

  /**
   * A context with nothing in it. {@link ThreadContext#stashContext} is not that: it keeps {@code
   * X-Opaque-Id}, and one request may begin while another one's answer is being sent.
   */
  StoredContext empty() {
    return empty;
  }

  ThreadPool threadPool() {
    return threadPool;
  }

  /** No more warnings are taken. */
  @Override
  public void close() {
    HeaderWarning.removeThreadContext(threadPool.getThreadContext());
    threadPool.shutdownNow();
  }
}
