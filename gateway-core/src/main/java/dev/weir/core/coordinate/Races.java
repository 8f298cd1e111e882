package dev.weir.core.coordinate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which attempts at each shard of a round are under way, at most two, and when to look at those
 * that are late. One timer at a time. Confined to the request's home.
 */
final class Races<R> {
  private final List<@Nullable Race<R>> races;
  private final OutstandingCalls calls;
  private final Tail tail;
  private final Predicate<Attempt<R>> second;
  private final boolean on;
  private @Nullable Look look;
  private int watched;

  private static final class Race<R> {
    private final Attempt<R> first;
    private @Nullable Attempt<R> other;
    private boolean watched;
    private long dueNanos;
    private long pauseNanos;

    Race(Attempt<R> first) {
      this.first = first;
    }
  }

  /** A timer that can be dropped, so that it keeps nothing. */
  private static final class Look {
    private @Nullable Runnable action;
    private final long atNanos;

    Look(Runnable action, long atNanos) {
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
   * Makes them with nothing under way.
   *
   * @param repeatable whether two copies may be asked at a time
   * @param second asks one more copy, if it is worth it; says whether it did
   */
  Races(int shards, OutstandingCalls calls, boolean repeatable, Predicate<Attempt<R>> second) {
    this.races = new ArrayList<>(shards);
    for (int shard = 0; shard < shards; shard++) {
      races.add(null);
    }
    this.calls = calls;
    this.tail = calls.tail();
    this.second = second;
    this.on = repeatable && tail.hedges();
  }

  /** Whether late attempts are looked at. */
  boolean on() {
    return on;
  }

  /** An attempt is under way; {@code another} when the shard has a copy besides. */
  void sent(Attempt<R> attempt, boolean another) {
    Race<R> race = races.get(attempt.shard());
    if (attempt.second() && race != null) {
      race.other = attempt;
      return;
    }
    Race<R> fresh = new Race<>(attempt);
    races.set(attempt.shard(), fresh);
    if (on) {
      long after = tail.lookAfterNanos(attempt.call());
      if (another && after >= 0) {
        watch(fresh, after);
      }
    }
  }

  private void watch(Race<R> race, long afterNanos) {
    race.pauseNanos = afterNanos;
    race.dueNanos = calls.nanoTime() + afterNanos;
    race.watched = true;
    watched++;
    setTimer(race.dueNanos, afterNanos);
  }

  private void setTimer(long atNanos, long afterNanos) {
    Look pending = look;
    if (pending != null && pending.atNanos - atNanos <= 0) {
      return;
    }
    if (pending != null) {
      pending.action = null;
    }
    Look next = new Look(this::look, atNanos);
    look = next;
    calls.after(Duration.ofNanos(Math.max(1, afterNanos)), next::fire);
  }

  private void look() {
    look = null;
    long now = calls.nanoTime();
    long earliest = Long.MAX_VALUE;
    for (int shard = 0; watched > 0 && shard < races.size(); shard++) {
      Race<R> race = races.get(shard);
      if (race == null || !race.watched) {
        continue;
      }
      if (race.dueNanos - now <= 0) {
        lookAt(race, now);
      }
      if (race.watched) {
        earliest = Math.min(earliest, race.dueNanos - now);
      }
    }
    if (earliest != Long.MAX_VALUE) {
      setTimer(now + earliest, earliest);
    }
  }

  private void lookAt(Race<R> race, long now) {
    if (second.test(race.first)) {
      unwatch(race);
      return;
    }
    long again = tail.lookAgainNanos(race.first.call(), race.pauseNanos);
    if (again < 0) {
      unwatch(race);
    } else {
      race.pauseNanos = again;
      race.dueNanos = now + race.pauseNanos;
    }
  }

  private void unwatch(Race<R> race) {
    if (race.watched) {
      race.watched = false;
      watched--;
    }
  }

  /** An attempt was answered first; gives up the other one, which it returns. */
  @Nullable Attempt<R> won(Attempt<R> winner) {
    Race<R> race = races.set(winner.shard(), null);
    if (race == null) {
      return null;
    }
    unwatch(race);
    if (on) {
      tail.answered(race.first.call());
    }
    Attempt<R> other = race.other;
    if (winner.second()) {
      tail.ended(Tail.End.WON);
    }
    if (other == null) {
      return null;
    }
    if (!winner.second()) {
      tail.ended(Tail.End.LOST);
    }
    Attempt<R> loser = winner.second() ? race.first : other;
    loser.giveUp(tail);
    return loser;
  }

  /** An attempt failed; whether another one at its shard is still under way. */
  boolean failed(Attempt<R> attempt) {
    Race<R> race = races.set(attempt.shard(), null);
    if (race == null) {
      return false;
    }
    unwatch(race);
    if (attempt.second()) {
      tail.ended(Tail.End.FAILED);
    }
    Attempt<R> other = race.other;
    if (other == null) {
      return false;
    }
    races.set(attempt.shard(), new Race<>(attempt.second() ? race.first : other));
    return true;
  }

  /** Every shard has its outcome: nothing is looked at any more. */
  void over() {
    if (look != null) {
      look.action = null;
      look = null;
    }
  }
}
