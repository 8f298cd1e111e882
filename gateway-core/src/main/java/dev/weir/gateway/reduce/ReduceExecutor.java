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
  private final Executor home;
  private final Executor pool;
  private final HeldFrames frames;
  private final boolean proportional;

  /**
   * Makes one.
   *
   * @param proportional whether reductions cost no more than the size of the answers suggests
   */
  ReduceExecutor(Executor home, Executor pool, HeldFrames frames, boolean proportional) {
    this.home = home;
    this.pool = pool;
    this.frames = frames;
    this.proportional = proportional;
  }

  /** Whether what has come in so far is reduced on the home. */
  boolean small() {
    return proportional && frames.bytes() < ReduceCost.BIG_BYTES;
  }

  @Override
  public void execute(Runnable reduction) {
    if (small()) {
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
