package dev.weir.gateway.cluster;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds the newest view, and those who wait for a newer one. Safe on any thread. */
final class Views {
  private static final Logger LOG = LoggerFactory.getLogger(Views.class);
  private static final Duration REFRESH_PATIENCE = Duration.ofSeconds(2);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition replaced = lock.newCondition();
  private final List<ViewListener> listeners = new CopyOnWriteArrayList<>();
  private final CompletableFuture<ClusterView> first = new CompletableFuture<>();
  private volatile ClusterView newest;
  private @Nullable Refresh waiting;

  /**
   * Those who wait for the next look at the cluster.
   *
   * @param promise completed after the look
   * @param answer the promise, or the newest view when that takes too long
   */
  record Refresh(CompletableFuture<ClusterView> promise, CompletableFuture<ClusterView> answer) {}

  Views(ClusterView newest) {
    this.newest = newest;
  }

  ClusterView newest() {
    return newest;
  }

  /** Completes with the first view of a cluster. */
  CompletableFuture<ClusterView> first() {
    return first;
  }

  void listen(ViewListener listener) {
    listeners.add(listener);
  }

  /** Replaces the newest view; called by the watching thread alone. */
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
      for (ViewListener listener : listeners) {
        try {
          listener.changed(before, view);
        } catch (RuntimeException bug) {
          LOG.error("view listener failed: {}", listener, bug);
        }
      }
      first.complete(view);
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

  /** The answer for all who ask before the next look begins. */
  CompletionStage<ClusterView> refresh() {
    lock.lock();
    try {
      if (waiting == null || waiting.answer().isDone()) {
        CompletableFuture<ClusterView> promise = new CompletableFuture<>();
        waiting =
            new Refresh(
                promise,
                promise
                    .copy()
                    .orTimeout(REFRESH_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .exceptionally(late -> newest));
      }
      return waiting.answer().minimalCompletionStage();
    } finally {
      lock.unlock();
    }
  }

  /** Takes those who wait: the look that begins now is theirs. */
  @Nullable Refresh takeWaiting() {
    lock.lock();
    try {
      Refresh taken = waiting;
      waiting = null;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Whether anybody waits. */
  boolean awaited() {
    lock.lock();
    try {
      return waiting != null && !waiting.answer().isDone();
    } finally {
      lock.unlock();
    }
  }

  /** Settles those whose look is over; when it settled nothing they wait for the next one. */
  void settle(Refresh due, boolean settled) {
    if (settled) {
      due.promise().complete(newest);
      return;
    }
    lock.lock();
    try {
      if (waiting == null) {
        waiting = due;
      } else {
        waiting.promise().thenAccept(due.promise()::complete);
      }
    } finally {
      lock.unlock();
    }
  }
}
