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

/** Holds the newest view, and those who wait for a newer one. Safe on any thread. */
final class Views {
  private static final Logger LOG = LoggerFactory.getLogger(Views.class);
  private static final Duration REFRESH_PATIENCE = Duration.ofSeconds(2);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition replaced = lock.newCondition();
  private final List<ViewListener> listeners = new CopyOnWriteArrayList<>();
  private final CompletableFuture<ClusterView> first = new CompletableFuture<>();
  private volatile ClusterView newest;
  private final AtomicReference<@Nullable Refresh> waiting = new AtomicReference<>();

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
        } catch (RuntimeException | StackOverflowError | AssertionError bug) {
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

  /** The answer for all who ask before the next look begins. Without a lock: requests ask. */
  CompletionStage<ClusterView> refresh() {
    while (true) {
      Refresh asked = waiting.get();
      if (asked == null || asked.answer().isDone()) {
        CompletableFuture<ClusterView> promise = new CompletableFuture<>();
        Refresh fresh =
            new Refresh(
                promise,
                promise
                    .copy()
                    .orTimeout(REFRESH_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .exceptionally(late -> newest));
        if (!waiting.compareAndSet(asked, fresh)) {
          continue; // somebody else was quicker; nobody knows of this one
        }
        asked = fresh;
      }
      return asked.answer().minimalCompletionStage();
    }
  }

  /** Takes those who wait: the look that begins now is theirs. */
  @Nullable Refresh takeWaiting() {
    return waiting.getAndSet(null);
  }

  /** Whether anybody waits. */
  boolean awaited() {
    Refresh asked = waiting.get();
    return asked != null && !asked.answer().isDone();
  }

  /** Settles those whose look is over; when it settled nothing they wait for the next one. */
  void settle(Refresh due, boolean settled) {
    if (settled) {
      due.promise().complete(newest);
      return;
    }
    if (!waiting.compareAndSet(null, due)) {
      Refresh next = waiting.get();
      if (next == null) {
        settle(due, false);
      } else {
        next.promise().thenAccept(due.promise()::complete);
      }
    }
  }
}
