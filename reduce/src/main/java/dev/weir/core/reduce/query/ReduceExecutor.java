package dev.weir.core.reduce.query;

import dev.weir.core.reduce.memory.ReduceCostClassifier;
import dev.weir.core.reduce.memory.RetainedSearchFrames;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.opensearch.common.util.concurrent.AbstractRunnable;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;

/**
 * Runs a search's reductions: small ones in a later task on the request's event loop, large ones on
 * the pool. It never runs one within the caller's call, as OpenSearch's consumer requires.
 */
public final class ReduceExecutor implements Executor {
  private final Executor eventLoop;
  private final Executor pool;
  private final RetainedSearchFrames frames;
  private final boolean isProportional;
  private final List<Runnable> idleActions = new ArrayList<>(1);
  private int pendingReductions;

  /**
   * Creates an executor.
   *
   * @param proportional whether the cost of a reduction is proportional to the size of the results
   */
  public ReduceExecutor(
      Executor eventLoop, Executor pool, RetainedSearchFrames frames, boolean proportional) {
    this.eventLoop = eventLoop;
    this.pool = pool;
    this.frames = frames;
    this.isProportional = proportional;
  }

  /** Returns whether to reduce the results received so far on the event loop. */
  public boolean shouldReduceOnEventLoop() {
    return isProportional && frames.totalBytes() < ReduceCostClassifier.OFFLOAD_THRESHOLD_BYTES;
  }

  /** Runs an action on the event loop as soon as no reduction runs or is queued. */
  public void runWhenIdle(Runnable action) {
    synchronized (idleActions) {
      if (pendingReductions > 0) {
        idleActions.add(action);
        return;
      }
    }
    action.run();
  }

  private void onReductionQueued() {
    synchronized (idleActions) {
      pendingReductions++;
    }
  }

  private void onReductionEnd() {
    List<Runnable> actions;
    synchronized (idleActions) {
      if (--pendingReductions > 0 || idleActions.isEmpty()) {
        return;
      }
      actions = List.copyOf(idleActions);
      idleActions.clear();
    }
    actions.forEach(eventLoop::execute);
  }

  @Override
  public void execute(Runnable reduction) {
    onReductionQueued();
    Runnable counted =
        () -> {
          try {
            reduction.run();
          } finally {
            onReductionEnd();
          }
        };
    if (shouldReduceOnEventLoop()) {
      eventLoop.execute(counted);
      return;
    }
    try {
      pool.execute(counted);
    } catch (RejectedExecutionException full) {
      if (reduction instanceof AbstractRunnable task) {
        onReductionEnd();
        task.onRejection(createRejection(full));
      } else {
        eventLoop.execute(counted);
      }
    }
  }

  public static OpenSearchRejectedExecutionException createRejection(
      RejectedExecutionException full) {
    OpenSearchRejectedExecutionException rejected =
        new OpenSearchRejectedExecutionException("rejected reduction: " + full.getMessage());
    rejected.addSuppressed(full);
    return rejected;
  }
}
