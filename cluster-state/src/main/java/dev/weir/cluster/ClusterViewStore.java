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
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores the newest view and the requests that wait for a newer one. Safe on any thread. */
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

  /** Returns a stage that completes with the first view of a cluster. */
  CompletableFuture<ClusterView> firstView() {
    return firstView;
  }

  void addListener(ClusterViewListener listener) {
    listeners.add(listener);
  }

  /**
   * Replaces the newest view, and calls every listener before and after if it changed. Called by
   * one thread at a time.
   *
   * <p>A listener that fails is logged and does not keep the view from the others. An {@link Error}
   * that concerns more than one listener, such as an {@link OutOfMemoryError}, is thrown after all
   * listeners were called, so that the caller counts the poll as failed.
   */
  void replace(ClusterView view, boolean changed) {
    ClusterView before = newest;
    Error early = changed ? notifyListeners(listener -> listener.beforeChange(before, view)) : null;
    lock.lock();
    try {
      newest = view;
      replaced.signalAll();
    } finally {
      lock.unlock();
    }
    if (changed) {
      Error late = notifyListeners(listener -> listener.onChange(before, view));
      firstView.complete(view);
      Error error = early == null ? late : early;
      if (error != null) {
        throw error;
      }
    }
  }

  /** Calls all listeners; returns the first error that concerns more than one listener. */
  private @Nullable Error notifyListeners(Consumer<ClusterViewListener> call) {
    Error first = null;
    for (ClusterViewListener listener : listeners) {
      try {
        call.accept(listener);
      } catch (RuntimeException | StackOverflowError | AssertionError defect) {
        logFailure(listener, defect);
      } catch (Error error) {
        logFailure(listener, error);
        first = first == null ? error : first;
      }
    }
    return first;
  }

  /** Logs the failure; ignores a second failure, for example for lack of memory. */
  private static void logFailure(ClusterViewListener listener, Throwable failure) {
    try {
      LOG.error("a listener of cluster views failed: {}", listener, failure);
    } catch (OutOfMemoryError outOfMemory) {
      failure.addSuppressed(outOfMemory);
    }
  }

  /**
   * Waits until the newest view's metadata version exceeds {@code version}, or until the timeout.
   */
  void awaitMetadataBeyond(long version, Duration timeout) throws InterruptedException {
    await(view -> view.state().metadata().version() > version, timeout);
  }

  /** Waits for a view at this position or a later one; returns false after the timeout. */
  boolean awaitPosition(StatePosition position, Duration timeout) throws InterruptedException {
    return await(view -> StatePosition.of(view.state()).compareTo(position) >= 0, timeout);
  }

  /** Waits for a view with another state, or until the timeout. */
  void awaitChange(ClusterView known, Duration timeout) throws InterruptedException {
    await(view -> !view.hasSameState(known), timeout);
  }

  private boolean await(Predicate<ClusterView> condition, Duration timeout)
      throws InterruptedException {
    long left = timeout.toNanos();
    lock.lockInterruptibly();
    try {
      while (!condition.test(newest)) {
        if (left <= 0) {
          return false;
        }
        left = replaced.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the view after the next poll; callers before that poll starts share one stage.
   * Lock-free, because requests call it.
   */
  CompletionStage<ClusterView> refresh() {
    while (true) {
      PendingRefresh pending = pendingRefresh.get();
      if (pending == null || pending.answer().isDone()) {
        CompletableFuture<ClusterView> promise = new CompletableFuture<>();
        PendingRefresh fresh =
            new PendingRefresh(
                promise,
                promise
                    .copy()
                    .orTimeout(REFRESH_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .exceptionally(late -> newest));
        if (!pendingRefresh.compareAndSet(pending, fresh)) {
          continue; // another thread was faster; discard this one
        }
        pending = fresh;
      }
      return pending.answer().minimalCompletionStage();
    }
  }

  /** Takes the waiting requests, which the poll that starts now serves. */
  @Nullable PendingRefresh takePendingRefresh() {
    return pendingRefresh.getAndSet(null);
  }

  /** Returns whether requests wait. */
  boolean hasWaiters() {
    PendingRefresh pending = pendingRefresh.get();
    return pending != null && !pending.answer().isDone();
  }

  /**
   * Completes the requests of a finished poll. After an inconclusive poll they wait for the next
   * one.
   */
  void complete(PendingRefresh due, boolean conclusive) {
    if (conclusive) {
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
