package dev.weir.gateway.reduce;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.opensearch.common.util.concurrent.AbstractRunnable;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;

/**
 * Where a search's reductions run: small ones in a later task on the request's home, big ones on
 * the pool. Never within the caller's call: OpenSearch's consumer counts on that.
 */
final class ReduceExecutor implements Executor {
  /** Below this, in bytes on the wire, a reduction is cheaper than two hops between threads. */
  static final long BIG = 256 * 1024;

  private final Executor home;
  private final HeldFrames frames;
  private final Executor pool;

  ReduceExecutor(Executor home, Executor pool, HeldFrames frames) {
    this.home = home;
    this.pool = pool;
    this.frames = frames;
  }

  @Override
  public void execute(Runnable reduction) {
    if (frames.bytes() < BIG) {
      home.execute(reduction);
      return;
    }
    try {
      pool.execute(reduction);
    } catch (RejectedExecutionException full) {
      if (reduction instanceof AbstractRunnable told) {
        told.onRejection(rejection(full));
      } else {
        home.execute(reduction);
      }
    }
  }

  static OpenSearchRejectedExecutionException rejection(RejectedExecutionException full) {
    OpenSearchRejectedExecutionException rejected =
        new OpenSearchRejectedExecutionException("rejected reduction: " + full.getMessage());
    rejected.addSuppressed(full);
    return rejected;
  }
}
