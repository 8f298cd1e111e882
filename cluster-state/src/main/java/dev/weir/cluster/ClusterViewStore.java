package dev.weir.cluster;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds the newest view and the requests that wait for a newer one. Safe on any thread. */
final class ClusterViewStore {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterViewStore.class);
  private static final Duration REFRESH_TIMEOUT = Duration.ofSeconds(2);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition replaced = lock.newCondition();
  private final List<ClusterViewListener> listeners = new CopyOnWriteArrayList<>();
  private final CompletableFuture<ClusterView> firstView = new CompletableFuture<>();
  private volatile ClusterView newest;
  private final AtomicReference<@Nullable PendingRefresh> pendingRefresh = new AtomicReference<>();

  /**
   * Requests that wait for the next poll of the cluster.
   *
   * @param promise completed after the poll
   * @param answer the promise, or the newest view when the poll takes too long
   */
  record PendingRefresh(
      CompletableFuture<ClusterView> promise, CompletableFuture<ClusterView> answer) {}

  ClusterViewStore(ClusterView newest) {
    this.newest = newest;
  }

  ClusterView newest() {
    return newest;
  }

  /** Completes with the first view of a cluster. */
  CompletableFuture<ClusterView> firstView() {
    return firstView;
  }

  void addListener(ClusterViewListener listener) {
    listeners.add(listener);
  }

  /**
   * Replaces the newest view, and calls every listener when it changed; called by the watching
   * thread alone.
   *
   * <p>A listener that fails never keeps the view from the others. Its failure is logged. An {@link
   * Error} that says more than that the listener has a defect, such as an {@link OutOfMemoryError},
   * is thrown once all listeners were called, so that the caller counts the poll as failed.
   */
  void replace(ClusterView view, boolean changed) {
    ClusterView before = newest;
    lock.lock();
    try {
      newest = view;
      replaced.signalAll();
    } finally {
      lock.unlock();
    }
    if (changed) {
      Error error = notifyListeners(before, view);
      firstView.complete(view);
      if (error != null) {
        throw error;
      }
    }
  }

  /** Calls all listeners; returns the first error that is not the defect of one listener. */
  private @Nullable Error notifyListeners(ClusterView before, ClusterView view) {
    Error first = null;
    for (ClusterViewListener listener : listeners) {
      try {
        listener.onChange(before, view);
      } catch (RuntimeException | StackOverflowError | AssertionError defect) {
        logFailure(listener, defect);
      } catch (Error error) {
        logFailure(listener, error);
        first = first == null ? error : first;
      }
    }
    return first;
  }

  /** Logs; memory may be too short for that, too. */
  private static void logFailure(ClusterViewListener listener, Throwable failure) {
    try {
      LOG.error("a listener of cluster views failed: {}", listener, failure);
    } catch (OutOfMemoryError outOfMemory) {
      failure.addSuppressed(outOfMemory);
    }
  }

  /** Waits until the newest view's metadata is beyond a version, or for a while. */
  void awaitMetadataBeyond(long version, Duration patience) throws InterruptedException {
    long left = patience.toNanos();
    lock.lockInterruptibly();
    try {
      while (newest.state().metadata().version() <= version && left > 0) {
        left = replaced.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * The view after the next poll, shared by all callers before it starts. Takes no lock, as
   * requests call it.
   */
  CompletionStage<ClusterView> refresh() {
    while (true) {
      PendingRefresh asked = pendingRefresh.get();
      if (asked == null || asked.answer().isDone()) {
        CompletableFuture<ClusterView> promise = new CompletableFuture<>();
        PendingRefresh fresh =
            new PendingRefresh(
                promise,
                promise
                    .copy()
                    .orTimeout(REFRESH_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .exceptionally(late -> newest));
        if (!pendingRefresh.compareAndSet(asked, fresh)) {
          continue; // somebody else was quicker; nobody knows of this one
        }
        asked = fresh;
      }
      return asked.answer().minimalCompletionStage();
    }
  }

  /** Takes the waiting requests, which the poll that starts now serves. */
  @Nullable PendingRefresh takePendingRefresh() {
    return pendingRefresh.getAndSet(null);
  }

  /** Whether anybody waits. */
  boolean hasWaiters() {
    PendingRefresh asked = pendingRefresh.get();
    return asked != null && !asked.answer().isDone();
  }

  /**
   * Completes the requests of a finished poll. If the poll was inconclusive, they wait for the next
   * one.
   */
  void complete(PendingRefresh due, boolean settled) {
    if (settled) {
      due.promise().complete(newest);
      return;
    }
    if (!pendingRefresh.compareAndSet(null, due)) {
      PendingRefresh next = pendingRefresh.get();
      if (next == null) {
        complete(due, false);
      } else {
        next.promise().thenAccept(due.promise()::complete);
      }
    }
  }
}
