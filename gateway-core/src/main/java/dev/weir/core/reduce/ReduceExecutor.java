package dev.weir.core.reduce;

import java.util.ArrayList;
import java.util.List;
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
  private final List<Runnable> idle = new ArrayList<>(1);
  private int underWay;

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

  /** Runs an action on the home once no reduction runs or waits to; at once if that is so. */
  void whenIdle(Runnable action) {
    synchronized (idle) {
      if (underWay > 0) {
        idle.add(action);
        return;
      }
    }
    action.run();
  }

  private void begun() {
    synchronized (idle) {
      underWay++;
    }
  }

  private void ended() {
    List<Runnable> actions;
    synchronized (idle) {
      if (--underWay > 0 || idle.isEmpty()) {
        return;
      }
      actions = List.copyOf(idle);
      idle.clear();
    }
    actions.forEach(home::execute);
  }

  @Override
  public void execute(Runnable reduction) {
    begun();
    Runnable counted =
        () -> {
          try {
            reduction.run();
          } finally {
            ended();
          }
        };
    if (small()) {
      home.execute(counted);
      return;
    }
    try {
      pool.execute(counted);
    } catch (RejectedExecutionException full) {
      if (reduction instanceof AbstractRunnable told) {
        ended();
        told.onRejection(rejection(full));
      } else {
        home.execute(counted);
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
