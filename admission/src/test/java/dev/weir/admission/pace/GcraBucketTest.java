package dev.weir.admission.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GcraBucketTest {
  private static final long SECOND = 1_000_000_000L;

  /** The amounts that passed, by time. */
  private record Left(long nanos, double amount) {}

  /** Delayed requests, by the time when they may pass. */
  private record Held(GcraBucket.Consumption taking, long goes, double amount) {}

  @Test
  void letsABurstGoAndThenOneByOne() {
    GcraBucket bucket = new GcraBucket(10, 3, 0);
    List<Long> delays = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      delays.add(bucket.delayNanos(1, 0));
      bucket.consume(1);
    }
    assertThat(delays).containsExactly(0L, 0L, 0L, SECOND / 10, SECOND / 5, 3 * SECOND / 10);
    assertThat(bucket.delayNanos(1, SECOND)).isZero();
  }

  @Test
  void passAnOversizedRequestAtAFullBucketAndDelayLaterOnes() {
    GcraBucket bucket = new GcraBucket(100, 50, 0);
    bucket.consume(10);
    assertThat(bucket.delayNanos(500, 0)).isEqualTo(SECOND / 10);
    bucket.consume(500);
    assertThat(bucket.delayNanos(1, 0)).isEqualTo(461 * SECOND / 100);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void neverPassMoreThanRateTimesTimePlusBurst(long seed) {
    Random random = new Random(seed);
    double rate = Math.exp(random.nextDouble() * 20 - 3);
    double burst = Math.max(1, rate * random.nextDouble() * 3);
    long now = random.nextLong();
    GcraBucket bucket = new GcraBucket(rate, burst, now);
    List<Left> left = new ArrayList<>();
    List<Held> held = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      now += (long) (random.nextDouble() * 2 * SECOND / rate * random.nextInt(3));
      long moment = now;
      // some delayed requests leave before their time
      if (!held.isEmpty() && random.nextInt(4) == 0) {
        Held gone = held.remove(random.nextInt(held.size()));
        if (gone.goes() - moment > 0) {
          bucket.refund(gone.taking(), moment);
        } else {
          left.add(new Left(gone.goes(), gone.amount()));
        }
      }
      double amount = random.nextBoolean() ? 1 : random.nextDouble() * burst;
      long early =
          random.nextInt(3) == 0 ? random.nextInt(1000) : 0; // an older reading of the clock
      long delay = bucket.delayNanos(amount, moment - early);
      if (delay <= 5 * SECOND) {
        held.add(new Held(bucket.consume(amount), moment - early + delay, amount));
      }
    }
    held.forEach(waiting -> left.add(new Left(waiting.goes(), waiting.amount())));
    left.sort((a, b) -> Long.compare(a.nanos() - b.nanos(), 0));
    assertThat(left).hasSizeGreaterThan(50);
    for (int from = 0; from < left.size(); from++) {
      double sum = 0;
      for (int to = from; to < left.size(); to++) {
        sum += left.get(to).amount();
        double seconds = (left.get(to).nanos() - left.get(from).nanos()) / 1e9;
        double most = rate * seconds + burst;
        assertThat(sum)
            .as("from " + from + " to " + to)
            .isLessThanOrEqualTo(most * (1 + 1e-6) + 1e-6);
      }
    }
  }

  @Test
  void neverRefundMoreThanWasTaken() {
    GcraBucket bucket = new GcraBucket(1, 1, 0);
    bucket.consume(1);
    long before = bucket.delayNanos(1, 0);
    GcraBucket.Consumption huge = bucket.consume(1e14);
    bucket.refund(huge, 0);
    assertThat(bucket.delayNanos(1, 0)).isEqualTo(before);
    GcraBucket.Consumption second = bucket.consume(1);
    bucket.consume(1);
    bucket.refund(second, 0);
    assertThat(bucket.delayNanos(1, 0)).isEqualTo(3 * SECOND);
  }

  @Test
  void payOffADebtWithinAnHour() {
    GcraBucket bucket = new GcraBucket(1e-3, 1, 0);
    bucket.forceConsume(1e300, 0);
    assertThat(bucket.delayNanos(1, 0)).isEqualTo(4600 * SECOND);
    bucket.forceConsume(1e300, 0);
    assertThat(bucket.delayNanos(1, 0)).isEqualTo(4600 * SECOND);
  }

  @Test
  void doNotPassEarlierWithAnEarlierClockReading() {
    GcraBucket bucket = new GcraBucket(1, 1, 10 * SECOND);
    bucket.consume(1);
    assertThat(bucket.delayNanos(1, 10 * SECOND + 500)).isEqualTo(SECOND - 500);
    assertThat(bucket.delayNanos(1, 10 * SECOND)).isEqualTo(SECOND);
    assertThat(bucket.delayNanos(1, 11 * SECOND)).isZero();
  }

  @Test
  void doNotOverflow() {
    for (double rate : new double[] {Double.MIN_VALUE, 1e-300, 1e-9, 1, 1e14}) {
      for (double burst : new double[] {Double.MIN_VALUE, 1, 1e14}) {
        GcraBucket bucket = new GcraBucket(rate, burst, Long.MIN_VALUE);
        long now = Long.MIN_VALUE;
        for (double amount : new double[] {0, 1, Long.MAX_VALUE, Double.MAX_VALUE, 1}) {
          assertThat(bucket.delayNanos(amount, now)).isNotNegative();
          GcraBucket.Consumption taking = bucket.consume(amount);
          bucket.forceConsume(amount, now);
          bucket.refund(taking, now);
          now += Long.MAX_VALUE / 2;
          assertThat(bucket.delayNanos(amount, now)).isNotNegative();
        }
      }
    }
    for (double odd : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 1e15}) {
      assertThatThrownBy(() -> new GcraBucket(odd, 1, 0))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> new GcraBucket(1, odd, 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
