package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TimeoutWheelTest {
  private static final long TICK = TimeoutWheel.TICK_NANOS;

  private final MockTicker ticker = Ticker.newMockTicker();
  private final EmbeddedChannel channel = EmbeddedChannel.builder().ticker(ticker).build();
  private final TimeoutWheel wheel = new TimeoutWheel(channel.eventLoop());
  private final List<String> fired = new ArrayList<>();

  private final class Timer extends TimeoutWheel.Timeout {
    private final String name;
    private final Runnable then;

    Timer(String name, Runnable then) {
      this.name = name;
      this.then = then;
    }

    Timer(String name) {
      this(name, () -> {});
    }

    @Override
    void onTimeout() {
      fired.add(name);
      then.run();
    }
  }

  private void advance(long nanos) {
    ticker.advance(nanos, TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
  }

  private boolean timerIsSet() {
    return channel.runScheduledPendingTasks() != -1;
  }

  @Test
  void firesOneTickLateAtMostAndNeverEarly() {
    wheel.add(new Timer("a"), 3 * TICK + 1);

    advance(3 * TICK);
    assertThat(fired).isEmpty();
    advance(1);
    assertThat(fired).isEmpty();
    advance(TICK);

    assertThat(fired).containsExactly("a");
    assertThat(wheel.size()).isZero();
    assertThat(timerIsSet()).isFalse();
  }

  @Test
  void doNotFireRemovedTimeouts() {
    Timer a = new Timer("a");
    wheel.add(a, 5 * TICK);
    wheel.add(new Timer("b"), 5 * TICK);

    wheel.remove(a);
    wheel.remove(a);
    advance(6 * TICK);

    assertThat(fired).containsExactly("b");
    assertThat(wheel.size()).isZero();
  }

  @Test
  void wakeUpEarlierForAnEarlierTimeout() {
    wheel.add(new Timer("late"), 400 * TICK);
    wheel.add(new Timer("soon"), 2 * TICK);

    advance(3 * TICK);
    assertThat(fired).containsExactly("soon");
    advance(400 * TICK);

    assertThat(fired).containsExactly("soon", "late");
  }

  @Test
  void keepTimeoutsBeyondOneTurnOfTheWheel() {
    wheel.add(new Timer("hour"), TimeUnit.HOURS.toNanos(1));
    wheel.add(new Timer("never"), Long.MAX_VALUE);

    for (int second = 0; second < 3_600; second++) {
      assertThat(fired).isEmpty();
      advance(TimeUnit.SECONDS.toNanos(1));
    }
    advance(TICK);

    assertThat(fired).containsExactly("hour");
    assertThat(wheel.size()).isEqualTo(1);
  }

  @Test
  void firesEverythingAfterALongPause() {
    for (int i = 1; i <= 2_000; i++) {
      wheel.add(new Timer("t" + i), i * TICK);
    }

    advance(3_000 * TICK);

    assertThat(fired).hasSize(2_000);
    assertThat(wheel.size()).isZero();
  }

  @Test
  void allowsToAddAndRemoveWhileFiring() {
    Timer victim = new Timer("victim");
    wheel.add(
        new Timer(
            "first",
            () -> {
              wheel.remove(victim);
              wheel.add(new Timer("again"), 1);
            }),
        TICK);
    wheel.add(victim, TICK);
    wheel.add(new Timer("last"), TICK);

    advance(2 * TICK);
    assertThat(fired).containsExactly("first", "last");
    advance(2 * TICK);

    assertThat(fired).containsExactly("first", "last", "again");
    assertThat(wheel.size()).isZero();
  }

  @Test
  void startsAgainAfterItWasEmpty() {
    wheel.add(new Timer("a"), TICK);
    advance(10_000 * TICK);
    wheel.add(new Timer("b"), 2 * TICK);

    advance(TICK);
    assertThat(fired).containsExactly("a");
    advance(2 * TICK);

    assertThat(fired).containsExactly("a", "b");
  }

  @Test
  void agreeWithASortedList() {
    SplittableRandom random = new SplittableRandom(42);
    TreeMap<String, Long> due = new TreeMap<>();
    TreeMap<String, Timer> timers = new TreeMap<>();
    long now = 0;
    for (int step = 0; step < 20_000; step++) {
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          String name = "t" + step;
          Timer timer = new Timer(name);
          long nanos = 1 + random.nextLong((1L << random.nextInt(1, 40)));
          wheel.add(timer, nanos);
          due.put(name, now + nanos);
          timers.put(name, timer);
        }
        case 2 -> {
          if (!due.isEmpty()) {
            due.pollFirstEntry();
            wheel.remove(timers.pollFirstEntry().getValue());
          }
        }
        default -> {
          long nanos = random.nextLong(1L << random.nextInt(1, 34));
          now += nanos;
          advance(nanos);
          long at = now;
          fired.forEach(name -> assertThat(due.get(name)).as(name).isLessThanOrEqualTo(at));
          fired.forEach(due::remove);
          fired.forEach(timers::remove);
          fired.clear();
          due.forEach((name, when) -> assertThat(when).as(name).isGreaterThan(at - TICK));
        }
      }
      assertThat(wheel.size()).isEqualTo(due.size());
    }
  }
}
