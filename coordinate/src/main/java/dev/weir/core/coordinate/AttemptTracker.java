package dev.weir.core.coordinate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the attempts in flight at each shard of a round, at most two a shard, and checks late
 * ones. Sets one timer at a time. Confined to the request's event loop.
 */
final class AttemptTracker<R> {
  private final List<@Nullable ShardAttempts<R>> attemptsByShard;
  private final OutstandingCalls calls;
  private final AttemptPolicy tail;
  private final Predicate<ShardAttempt<R>> sendHedge;
  private final boolean isHedgingEnabled;
  private @Nullable HedgeTimer hedgeTimer;
  private int watchedShards;

  private static final class ShardAttempts<R> {
    private final ShardAttempt<R> first;
    private @Nullable ShardAttempt<R> hedge;
    private boolean watched;
    private long nextCheckNanos;
    private long checkIntervalNanos;

    ShardAttempts(ShardAttempt<R> first) {
      this.first = first;
    }
  }

  /**
   * The timer of the next check.
   *
   * @param canceller cancels it, and drops its reference to the request
   */
  private record HedgeTimer(Runnable canceller, long atNanos) {}

  /**
   * Starts without attempts.
   *
   * @param isHedgeable whether a shard may have two attempts in flight
   * @param hedgeSender sends a hedged request if that is worth it; returns whether it did
   */
  AttemptTracker(
      int shards,
      OutstandingCalls calls,
      boolean isHedgeable,
      Predicate<ShardAttempt<R>> hedgeSender) {
    this.attemptsByShard = new ArrayList<>(shards);
    for (int shard = 0; shard < shards; shard++) {
      attemptsByShard.add(null);
    }
    this.calls = calls;
    this.tail = calls.tail();
    this.sendHedge = hedgeSender;
    this.isHedgingEnabled = isHedgeable && tail.isHedgingEnabled();
  }

  /** Whether late attempts are checked. */
  boolean isHedgingEnabled() {
    return isHedgingEnabled;
  }

  /**
   * Records an attempt that was sent; {@code another} is true when the shard has a copy that was
   * not tried.
   */
  void onSent(ShardAttempt<R> attempt, boolean another) {
    ShardAttempts<R> attempts = attemptsByShard.get(attempt.shard());
    if (attempt.isHedge() && attempts != null) {
      attempts.hedge = attempt;
      return;
    }
    ShardAttempts<R> fresh = new ShardAttempts<>(attempt);
    attemptsByShard.set(attempt.shard(), fresh);
    if (isHedgingEnabled) {
      long after = tail.hedgeDelayNanos(attempt.call());
      if (another && after >= 0) {
        watch(fresh, after);
      }
    }
  }

  /** Records a first attempt that was sent and waits on its node. */
  void onQueued(ShardAttempt<R> attempt) {
    attemptsByShard.set(attempt.shard(), new ShardAttempts<>(attempt));
  }

  /** Starts to watch an attempt that waited on its node until now. */
  void onBegun(ShardAttempt<R> attempt, boolean another) {
    ShardAttempts<R> attempts = attemptsByShard.get(attempt.shard());
    if (attempts != null && attempts.first == attempt && isHedgingEnabled) {
      long after = tail.hedgeDelayNanos(attempt.call());
      if (another && after >= 0) {
        watch(attempts, after);
      }
    }
  }

  /** Forgets the only attempt at a shard, which was given up before it began. */
  void forget(ShardAttempt<R> attempt) {
    attemptsByShard.set(attempt.shard(), null);
  }

  private void watch(ShardAttempts<R> attempts, long afterNanos) {
    attempts.checkIntervalNanos = afterNanos;
    attempts.nextCheckNanos = calls.nanoTime() + afterNanos;
    attempts.watched = true;
    watchedShards++;
    setTimer(attempts.nextCheckNanos, afterNanos);
  }

  private void setTimer(long atNanos, long afterNanos) {
    HedgeTimer pending = hedgeTimer;
    if (pending != null && pending.atNanos - atNanos <= 0) {
      return;
    }
    if (pending != null) {
      pending.canceller.run();
    }
    Duration delay = Duration.ofNanos(Math.max(1, afterNanos));
    hedgeTimer = new HedgeTimer(calls.scheduleCancellable(delay, this::checkLateAttempts), atNanos);
  }

  private void checkLateAttempts() {
    hedgeTimer = null;
    long now = calls.nanoTime();
    long earliest = Long.MAX_VALUE;
    for (int shard = 0; watchedShards > 0 && shard < attemptsByShard.size(); shard++) {
      ShardAttempts<R> attempts = attemptsByShard.get(shard);
      if (attempts == null || !attempts.watched) {
        continue;
      }
      if (attempts.nextCheckNanos - now <= 0) {
        checkShard(attempts, now);
      }
      if (attempts.watched) {
        earliest = Math.min(earliest, attempts.nextCheckNanos - now);
      }
    }
    if (earliest != Long.MAX_VALUE) {
      setTimer(now + earliest, earliest);
    }
  }

  private void checkShard(ShardAttempts<R> attempts, long now) {
    if (sendHedge.test(attempts.first)) {
      unwatch(attempts);
      return;
    }
    long again = tail.nextHedgeCheckNanos(attempts.first.call(), attempts.checkIntervalNanos);
    if (again < 0) {
      unwatch(attempts);
    } else {
      attempts.checkIntervalNanos = again;
      attempts.nextCheckNanos = now + attempts.checkIntervalNanos;
    }
  }

  private void unwatch(ShardAttempts<R> attempts) {
    if (attempts.watched) {
      attempts.watched = false;
      watchedShards--;
    }
  }

  /** Ends a shard by the attempt that was answered first; abandons and returns the other one. */
  @Nullable ShardAttempt<R> onWon(ShardAttempt<R> winner) {
    ShardAttempts<R> attempts = attemptsByShard.set(winner.shard(), null);
    if (attempts == null) {
      return null;
    }
    unwatch(attempts);
    if (isHedgingEnabled) {
      tail.recordAnswer(attempts.first.call());
    }
    ShardAttempt<R> other = attempts.hedge;
    if (winner.isHedge()) {
      tail.recordHedgeWin(attempts.first.call());
    }
    if (other == null) {
      return null;
    }
    if (!winner.isHedge()) {
      tail.recordHedgeOutcome(AttemptPolicy.HedgeOutcome.LOST);
    }
    ShardAttempt<R> loser = winner.isHedge() ? attempts.first : other;
    loser.abandon(tail);
    return loser;
  }

  /** Records a failed attempt; returns whether the shard's other attempt is still in flight. */
  boolean onFailed(ShardAttempt<R> attempt) {
    ShardAttempts<R> attempts = attemptsByShard.set(attempt.shard(), null);
    if (attempts == null) {
      return false;
    }
    unwatch(attempts);
    if (attempt.isHedge()) {
      tail.recordHedgeOutcome(AttemptPolicy.HedgeOutcome.FAILED);
    }
    ShardAttempt<R> other = attempts.hedge;
    if (other == null) {
      return false;
    }
    attemptsByShard.set(
        attempt.shard(), new ShardAttempts<>(attempt.isHedge() ? attempts.first : other));
    return true;
  }

  /** Stops checking because every shard has its outcome. */
  void stop() {
    if (hedgeTimer != null) {
      hedgeTimer.canceller.run();
      hedgeTimer = null;
    }
  }
}
