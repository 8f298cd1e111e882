package dev.weir.bluegreen.shadow;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What was measured in the last one to two minutes: in the minute that runs and in the one before.
 * Safe on any thread; its lock is held for arithmetic.
 */
final class Lately {
  private static final long MINUTE_NANOS = 60_000_000_000L;
  private static final long NANOS_A_MICRO = 1_000;
  private static final long LONGEST_MICROS = 3_600_000_000L;
  private static final double MICROS_A_MILLI = 1e3;

  private Minute running;
  private Minute before;

  /** A minute's measurements. */
  private static final class Minute {
    private final long begunNanos;
    private final Histogram primary = new Histogram(LONGEST_MICROS, 2);
    private final Histogram shadow = new Histogram(LONGEST_MICROS, 2);
    private long rankings;
    private double overlaps;
    private double leastOverlap = 1;
    private double scoresApart;

    Minute(long begunNanos) {
      this.begunNanos = begunNanos;
    }

    void add(Minute other) {
      primary.add(other.primary);
      shadow.add(other.shadow);
      rankings += other.rankings;
      overlaps += other.overlaps;
      leastOverlap = Math.min(leastOverlap, other.leastOverlap);
      scoresApart = Math.max(scoresApart, other.scoresApart);
    }
  }

  /**
   * How alike rankings were.
   *
   * @param rankings how many there were
   * @param mean of their overlaps; NaN for none
   * @param least of their overlaps; NaN for none
   * @param scoresApart the most that a document's scores were apart, as a share of the larger one
   */
  record Overlaps(long rankings, double mean, double least, double scoresApart) {}

  Lately(long nowNanos) {
    running = new Minute(nowNanos);
    before = new Minute(nowNanos);
  }

  /** Takes what one comparison measured. */
  synchronized void add(long nowNanos, long primaryNanos, long shadowNanos, Findings findings) {
    turn(nowNanos);
    running.primary.recordValue(micros(primaryNanos));
    running.shadow.recordValue(micros(shadowNanos));
    double overlap = findings.leastOverlap();
    if (!Double.isNaN(overlap)) {
      running.rankings++;
      running.overlaps += overlap;
      running.leastOverlap = Math.min(running.leastOverlap, overlap);
    }
    running.scoresApart = Math.max(running.scoresApart, findings.scoresApart());
  }

  private static long micros(long nanos) {
    return Math.clamp(nanos / NANOS_A_MICRO, 0, LONGEST_MICROS);
  }

  private void turn(long nowNanos) {
    long age = nowNanos - running.begunNanos;
    if (age >= MINUTE_NANOS) {
      before = age < 2 * MINUTE_NANOS ? running : new Minute(nowNanos);
      running = new Minute(nowNanos);
    }
  }

  private Minute both(long nowNanos) {
    turn(nowNanos);
    Minute all = new Minute(nowNanos);
    all.add(before);
    all.add(running);
    return all;
  }

  synchronized Overlaps overlaps(long nowNanos) {
    Minute all = both(nowNanos);
    boolean none = all.rankings == 0;
    return new Overlaps(
        all.rankings,
        none ? Double.NaN : all.overlaps / all.rankings,
        none ? Double.NaN : all.leastOverlap,
        all.scoresApart);
  }

  /** A quantile of how long the other cluster took, or the one that answered clients, seconds. */
  synchronized double seconds(long nowNanos, boolean shadow, double quantile) {
    Minute all = both(nowNanos);
    Histogram of = shadow ? all.shadow : all.primary;
    return of.getTotalCount() == 0 ? 0 : of.getValueAtPercentile(quantile * 100) / 1e6;
  }

  /** How long both took, by quantile, in milliseconds. */
  synchronized Map<String, Object> latencies(long nowNanos) {
    Minute all = both(nowNanos);
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("primary_ms", quantiles(all.primary));
    shown.put("shadow_ms", quantiles(all.shadow));
    return shown;
  }

  private static Map<String, Object> quantiles(Histogram of) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("count", of.getTotalCount());
    if (of.getTotalCount() > 0) {
      shown.put("p50", of.getValueAtPercentile(50) / MICROS_A_MILLI);
      shown.put("p90", of.getValueAtPercentile(90) / MICROS_A_MILLI);
      shown.put("p99", of.getValueAtPercentile(99) / MICROS_A_MILLI);
      shown.put("max", of.getMaxValue() / MICROS_A_MILLI);
    }
    return shown;
  }
}
