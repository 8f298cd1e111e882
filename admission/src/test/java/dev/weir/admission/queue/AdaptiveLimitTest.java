package dev.weir.admission.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.queue.AdaptiveLimit.Sample;
import dev.weir.admission.queue.QueueSettings.LimitBounds;
import dev.weir.admission.queue.QueueSettings.Window;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdaptiveLimitTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;

  private static Sample answer(int queue, int inFlight) {
    return new Sample(queue, inFlight, 10 * MILLI, 0);
  }

  private static LittlesLawLimit little(long targetNanos, int least, int most, double start) {
    return new LittlesLawLimit(
        targetNanos, new Window(2000, SECOND), new LimitBounds(least, most), start);
  }

  @Test
  void startsWithTwiceTheThreads() {
    assertThat(new AimdLimit(() -> 13, true, new LimitBounds(2, 1000)).limit()).isEqualTo(26);
    assertThat(new AimdLimit(() -> 13, false, new LimitBounds(2, 1000)).limit()).isEqualTo(104);
    assertThat(new AimdLimit(() -> 1, false, new LimitBounds(2, 1000)).limit()).isEqualTo(32);
  }

  @Test
  void shrinksOnceAResponseTimeWhileTheNodeQueues() {
    AimdLimit sizer = new AimdLimit(() -> 8, true, new LimitBounds(2, 1000));
    sizer.onSample(answer(9, 16), 0);
    sizer.onSample(answer(9, 16), 9 * MILLI);
    assertThat(sizer.limit()).isEqualTo(16 * 0.9);
    sizer.onSample(answer(9, 16), 11 * MILLI);
    assertThat(sizer.limit()).isEqualTo(16 * 0.9 * 0.9);
    sizer.onSample(answer(8, 30), SECOND);
    assertThat(sizer.limit()).isEqualTo(16 * 0.9 * 0.9);
  }

  @Test
  void growsWhereTheLimitWasReachedAndTheNodeHardlyQueues() {
    AimdLimit sizer = new AimdLimit(() -> 8, true, new LimitBounds(2, 1000));
    sizer.onSample(answer(4, 10), 0);
    assertThat(sizer.limit()).isEqualTo(16);
    sizer.onSample(answer(4, 16), 0);
    assertThat(sizer.limit()).isEqualTo(16 + 2.0 / 16);
  }

  @Test
  void neverLimitANodeToHalfOfItsThreads() {
    AimdLimit sizer = new AimdLimit(() -> 8, true, new LimitBounds(2, 1000));
    for (int i = 1; i < 200; i++) {
      sizer.onSample(answer(100, 32), i * SECOND);
      sizer.onRejection(i * SECOND, i * SECOND);
    }
    assertThat(sizer.limit()).isEqualTo(4);
  }

  @Test
  void lowerTheLimitByLittlesLawOnceForCallsThatAreRejectedTogether() {
    LittlesLawLimit sizer = little(400 * MILLI, 10, 1000, 100);
    for (int i = 0; i < 26; i++) {
      sizer.onRejection(SECOND, SECOND + i * MILLI);
    }
    assertThat(sizer.limit()).isEqualTo(100 * 0.7);
    sizer.onRejection(2 * SECOND - MILLI, 2 * SECOND);
    assertThat(sizer.limit()).isEqualTo(100 * 0.7 * 0.7);
  }

  @Test
  void goesByResponseTimesWhereNoQueueIsReported() {
    AimdLimit sizer = new AimdLimit(() -> 4, false, new LimitBounds(2, 1000));
    for (int i = 1; i < 100; i++) {
      sizer.onSample(new Sample(-1, 32, 100 * MILLI, 5 * MILLI), i * SECOND);
    }
    assertThat(sizer.limit()).isEqualTo(8);
    for (int i = 100; i < 1000; i++) {
      sizer.onSample(new Sample(-1, (int) sizer.limit(), 6 * MILLI, 5 * MILLI), i * SECOND);
    }
    assertThat(sizer.limit()).isGreaterThan(32);
  }

  @Test
  void littlesLawSetsTheLimitAtOnceWhereItShrinks() {
    LittlesLawLimit sizer = little(400 * MILLI, 10, 1000, 1000);
    for (int i = 0; i <= 100; i++) {
      sizer.onSample(answer(0, 1000), i * 10L * MILLI);
    }
    assertThat(sizer.limit()).as("100/s x 400 ms").isEqualTo(40);
  }

  @Test
  void raiseTheLimitInOneStepByLittlesLaw() {
    LittlesLawLimit sizer = little(400 * MILLI, 10, 1000, 100);
    for (int i = 0; i <= 1000; i++) {
      sizer.onSample(answer(0, 100), i * MILLI);
    }
    assertThat(sizer.limit()).as("1000/s x 400 ms").isEqualTo(400);
  }

  @Test
  void lowerTheLimitByLittlesLawWhereMoreCallsAreInFlight() {
    LittlesLawLimit sizer = little(400 * MILLI, 10, 1000, 400);
    for (int i = 0; i <= 1000; i++) {
      // 1000/s that take 500 ms are 500 calls in flight
      sizer.onSample(new Sample(0, 500, 500 * MILLI, 0), i * MILLI);
    }
    assertThat(sizer.limit()).as("400 / (500 / 400)").isEqualTo(320);
  }

  @Test
  void littlesLawShrinksNothingWhereClientsJustWantLess() {
    LittlesLawLimit sizer = little(400 * MILLI, 10, 1000, 500);
    for (int i = 0; i <= 300; i++) {
      sizer.onSample(answer(0, 5), i * 10L * MILLI);
    }
    assertThat(sizer.limit()).isEqualTo(500);
  }

  @Test
  void littlesLawEndsAFrameAfterSoManyAnswers() {
    LittlesLawLimit sizer = little(400 * MILLI, 10, 10_000, 1000);
    for (int i = 0; i <= 2000; i++) {
      sizer.onSample(answer(0, 1000), i * MILLI / 10);
    }
    assertThat(sizer.limit()).as("10,000/s, seen after 200 ms").isEqualTo(4000);
  }

  /** The limit is a finite number within its bounds for any samples. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void stayWithinTheBoundsForAnySamples(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int least = 1 + random.nextInt(20);
    int most = least + random.nextInt(2000);
    LimitBounds bounds = new LimitBounds(least, most);
    int[] threads = {1};
    AdaptiveLimit[] sizers = {
      new AimdLimit(() -> threads[0], true, bounds),
      new AimdLimit(() -> threads[0], false, bounds),
      little(1 + random.nextLong(Long.MAX_VALUE), least, most, random.nextDouble() * 1e9),
    };
    int[] oddInts = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1290};
    double[] oddTimes = {0, 1, 1e6, 3600e9, 1e-9};
    long now = random.nextLong();
    for (int i = 0; i < 20_000; i++) {
      threads[0] = random.nextInt(10) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(64);
      int queue = random.nextBoolean() ? random.nextInt(100) : oddInts[random.nextInt(5)];
      int inFlight = random.nextBoolean() ? random.nextInt(3000) : oddInts[random.nextInt(5)];
      double time = random.nextBoolean() ? random.nextDouble() * 1e9 : oddTimes[random.nextInt(5)];
      now += random.nextInt(100) == 0 ? random.nextLong() : random.nextLong(SECOND);
      for (AdaptiveLimit sizer : sizers) {
        switch (random.nextInt(12)) {
          case 0 -> sizer.onRejection(now - 1, now);
          case 1 -> sizer.onFirstCall(now);
          default ->
              sizer.onSample(new Sample(queue, inFlight, time, random.nextDouble() * 1e8), now);
        }
        assertThat(sizer.limit()).isBetween((double) least, (double) most);
      }
    }
  }
}
