package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.CompletedRequest;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two costly requests pass through at once, one client after the other. */
class PassThroughTurnsTest {
  private final List<Long> started = new ArrayList<>();
  private final List<Long> rejected = new ArrayList<>();
  private final List<Runnable> timers = new ArrayList<>();
  private final List<Runnable> waits = new ArrayList<>();
  private final PassThroughTurns turns =
      new PassThroughTurns(
          2,
          (delay, executor, end) ->
              (delay.equals(PassThroughTurns.MAX_WAIT) ? waits : timers).add(end));

  private void await(long number, String client) {
    turns.await(number, client, () -> started.add(number), () -> rejected.add(number));
  }

  private void complete(long number) {
    turns.accept(
        new CompletedRequest(
            0,
            "a",
            "POST",
            "/",
            "HTTP/1.1",
            "passthrough",
            "other",
            "",
            200,
            0,
            0,
            0,
            "",
            number,
            "main",
            "_default",
            ""));
  }

  @Test
  void startTheNextOneWhenAnotherEnds() {
    for (long number = 1; number <= 4; number++) {
      await(number, "a");
    }
    assertThat(started).containsExactly(1L, 2L);
    complete(2);
    assertThat(started).containsExactly(1L, 2L, 3L);
    complete(99);
    complete(2);
    assertThat(started).hasSize(3);
    complete(1);
    complete(3);
    complete(4);
    await(5, "a");
    await(6, "a");
    assertThat(started).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
  }

  private WeakReference<byte[]> awaitWithBody(long number) {
    byte[] body = new byte[100];
    turns.await(number, "a", () -> started.add((long) body.length), () -> {});
    return new WeakReference<>(body);
  }

  /** A turn's timer runs for long after a request that was answered soon. */
  @Test
  void keepNothingOfARequestThatHasEnded() {
    WeakReference<byte[]> kept = awaitWithBody(1);
    assertThat(started).containsExactly(100L);
    complete(1);
    assertThat(timers).hasSize(1);
    for (int i = 0; i < 50 && kept.get() != null; i++) {
      System.gc();
    }
    assertThat(kept.get()).isNull();
  }

  @Test
  void takeTurnsAmongClients() {
    for (long number = 1; number <= 5; number++) {
      await(number, "crowd");
    }
    await(6, "neighbour");
    await(7, "neighbour");
    complete(1);
    complete(2);
    complete(3);
    assertThat(started).containsExactly(1L, 2L, 3L, 6L, 4L);
  }

  @Test
  void endATurnThatTakesTooLong() {
    for (long number = 1; number <= 4; number++) {
      await(number, "a");
    }
    timers.get(0).run();
    assertThat(started).containsExactly(1L, 2L, 3L);
    complete(1);
    assertThat(started).as("its turn has ended before").hasSize(3);
    complete(2);
    timers.get(1).run();
    assertThat(started).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void rejectWhatHasWaitedForTooLong() {
    for (long number = 1; number <= 5; number++) {
      await(number, "a");
    }
    assertThat(waits).as("those without a turn").hasSize(3);
    complete(1);
    waits.forEach(Runnable::run);
    assertThat(rejected).containsExactly(4L, 5L);
    complete(2);
    complete(3);
    complete(4);
    await(6, "a");
    assertThat(started).containsExactly(1L, 2L, 3L, 6L);
  }

  @Test
  void forgetRequestsThatEndWhileTheyWait() {
    for (long number = 1; number <= 4; number++) {
      await(number, "a");
    }
    complete(3);
    complete(1);
    assertThat(started).containsExactly(1L, 2L, 4L);
  }
}
