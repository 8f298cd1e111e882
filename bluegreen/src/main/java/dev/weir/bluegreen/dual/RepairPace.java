package dev.weir.bluegreen.dual;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The pace of a repair: how many documents a second it may repair, how many it does, and how long
 * the rest will take. Safe on any thread.
 */
final class RepairPace {
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final double maxPerSecond;
  private final LongSupplier nanoClock;
  private final Sleeper sleeper;
  private final long startNanos;
  private long nextNanos;
  private long totalEntries;
  private long entries;
  private long documents;

  /** Waits for a time. */
  interface Sleeper {
    void sleep(long nanos) throws InterruptedException;
  }

  /**
   * Creates a pace that starts now.
   *
   * @param maxPerSecond the maximum of documents a second; infinite for no limit
   * @param nanoClock a monotonic clock, nanoseconds
   */
  RepairPace(double maxPerSecond, LongSupplier nanoClock, Sleeper sleeper) {
    this.maxPerSecond = maxPerSecond;
    this.nanoClock = nanoClock;
    this.sleeper = sleeper;
    this.startNanos = nanoClock.getAsLong();
    this.nextNanos = startNanos;
  }

  /** Uses the clock of the machine. */
  static RepairPace of(double maxPerSecond) {
    return new RepairPace(maxPerSecond, System::nanoTime, TimeUnit.NANOSECONDS::sleep);
  }

  /** Adds entries to repair to the estimate. */
  synchronized void expect(long more) {
    totalEntries += more;
  }

  /** Waits until the next document may be repaired. Documents never come in bursts. */
  void await() throws InterruptedException {
    long waitNanos;
    synchronized (this) {
      long now = nanoClock.getAsLong();
      long turn = nextNanos - now > 0 ? nextNanos : now;
      nextNanos = turn + (long) (NANOS_PER_SECOND / maxPerSecond);
      waitNanos = turn - now;
    }
    if (waitNanos > 0) {
      sleeper.sleep(waitNanos);
    }
  }

  /** Counts a document that was tried, with so many entries. */
  synchronized void count(int ofDocument) {
    documents++;
    entries += ofDocument;
  }

  /** Describes the rate and the rest, for example {@code 120.0 documents/s, about 45 s left}. */
  synchronized String describe() {
    double seconds = Math.max(1, nanoClock.getAsLong() - startNanos) / NANOS_PER_SECOND;
    String rate = String.format(Locale.ROOT, "%.1f documents/s", documents / seconds);
    if (entries == 0) {
      return rate;
    }
    long left = Math.round(Math.max(0, totalEntries - entries) * seconds / entries);
    return rate + ", about " + format(left) + " left";
  }

  private static String format(long seconds) {
    if (seconds < 100) {
      return seconds + " s";
    }
    return seconds < 6000
        ? seconds / 60 + " min"
        : seconds / 3600 + " h " + seconds / 60 % 60 + " min";
  }
}
