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

  /** A timer that releases its action when it is no longer needed. */
  private static final class HedgeTimer {
    private @Nullable Runnable action;
    private final long atNanos;

    HedgeTimer(Runnable action, long atNanos) {
      this.action = action;
      this.atNanos = atNanos;
    }

    void fire() {
      if (action != null) {
        action.run();
      }
    }
  }

  /**
   * Starts without attempts.
   *
   * @param repeatable whether a shard may have two attempts in flight
   * @param second sends a hedged request if that is worth it; returns whether it did
   */
  AttemptTracker(
      int shards, OutstandingCalls calls, boolean repeatable, Predicate<ShardAttempt<R>> second) {
    this.attemptsByShard = new ArrayList<>(shards);
    for (int shard = 0; shard < shards; shard++) {
      attemptsByShard.add(null);
    }
    this.calls = calls;
    this.tail = calls.tail();
    this.sendHedge = second;
    this.isHedgingEnabled = repeatable && tail.isHedgingEnabled();
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
    ShardAttempts<R> race = attemptsByShard.get(attempt.shard());
    if (attempt.isHedge() && race != null) {
      race.hedge = attempt;
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

  private void watch(ShardAttempts<R> race, long afterNanos) {
    race.checkIntervalNanos = afterNanos;
    race.nextCheckNanos = calls.nanoTime() + afterNanos;
    race.watched = true;
    watchedShards++;
    setTimer(race.nextCheckNanos, afterNanos);
  }

  private void setTimer(long atNanos, long afterNanos) {
    HedgeTimer pending = hedgeTimer;
    if (pending != null && pending.atNanos - atNanos <= 0) {
      return;
    }
    if (pending != null) {
      pending.action = null;
    }
    HedgeTimer next = new HedgeTimer(this::checkLateAttempts, atNanos);
    hedgeTimer = next;
    calls.schedule(Duration.ofNanos(Math.max(1, afterNanos)), next::fire);
  }

  private void checkLateAttempts() {
    hedgeTimer = null;
    long now = calls.nanoTime();
    long earliest = Long.MAX_VALUE;
    for (int shard = 0; watchedShards > 0 && shard < attemptsByShard.size(); shard++) {
      ShardAttempts<R> race = attemptsByShard.get(shard);
      if (race == null || !race.watched) {
        continue;
      }
      if (race.nextCheckNanos - now <= 0) {
        checkShard(race, now);
      }
      if (race.watched) {
        earliest = Math.min(earliest, race.nextCheckNanos - now);
      }
    }
    if (earliest != Long.MAX_VALUE) {
      setTimer(now + earliest, earliest);
    }
  }

  private void checkShard(ShardAttempts<R> race, long now) {
    if (sendHedge.test(race.first)) {
      unwatch(race);
      return;
    }
    long again = tail.nextHedgeCheckNanos(race.first.call(), race.checkIntervalNanos);
    if (again < 0) {
      unwatch(race);
    } else {
      race.checkIntervalNanos = again;
      race.nextCheckNanos = now + race.checkIntervalNanos;
    }
  }

  private void unwatch(ShardAttempts<R> race) {
    if (race.watched) {
      race.watched = false;
      watchedShards--;
    }
  }

  /** Ends a shard by the attempt that was answered first; abandons and returns the other one. */
  @Nullable ShardAttempt<R> onWon(ShardAttempt<R> winner) {
    ShardAttempts<R> race = attemptsByShard.set(winner.shard(), null);
    if (race == null) {
      return null;
    }
    unwatch(race);
    if (isHedgingEnabled) {
      tail.recordAnswer(race.first.call());
    }
    ShardAttempt<R> other = race.hedge;
    if (winner.isHedge()) {
      tail.recordHedgeOutcome(AttemptPolicy.HedgeOutcome.WON);
    }
    if (other == null) {
      return null;
    }
    if (!winner.isHedge()) {
      tail.recordHedgeOutcome(AttemptPolicy.HedgeOutcome.LOST);
    }
    ShardAttempt<R> loser = winner.isHedge() ? race.first : other;
    loser.abandon(tail);
    return loser;
  }

  /** Records a failed attempt; returns whether the shard's other attempt is still in flight. */
  boolean onFailed(ShardAttempt<R> attempt) {
    ShardAttempts<R> race = attemptsByShard.set(attempt.shard(), null);
    if (race == null) {
      return false;
    }
    unwatch(race);
    if (attempt.isHedge()) {
      tail.recordHedgeOutcome(AttemptPolicy.HedgeOutcome.FAILED);
    }
    ShardAttempt<R> other = race.hedge;
    if (other == null) {
      return false;
    }
    attemptsByShard.set(
        attempt.shard(), new ShardAttempts<>(attempt.isHedge() ? race.first : other));
    return true;
  }

  /** Stops checking because every shard has its outcome. */
  void stop() {
    if (hedgeTimer != null) {
      hedgeTimer.action = null;
      hedgeTimer = null;
    }
  }
}
