package dev.weir.bluegreen.shadow;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Statistics of the last one to two minutes: the current minute and the one before. Safe on any
 * thread; holds its lock only for arithmetic.
 */
final class RecentComparisonStats {
  private static final long MINUTE_NANOS = 60_000_000_000L;
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long MAX_MICROS = 3_600_000_000L;
  private static final double MICROS_PER_MILLI = 1e3;

  private MinuteStats current;
  private MinuteStats previous;

  /** A minute's measurements. */
  private static final class MinuteStats {
    private final long startNanos;
    private final Histogram primary = new Histogram(MAX_MICROS, 2);
    private final Histogram shadow = new Histogram(MAX_MICROS, 2);
    private long rankings;
    private double overlapSum;
    private double minOverlap = 1;
    private double maxScoreDeviation;

    MinuteStats(long begunNanos) {
      this.startNanos = begunNanos;
    }

    void add(MinuteStats other) {
      primary.add(other.primary);
      shadow.add(other.shadow);
      rankings += other.rankings;
      overlapSum += other.overlapSum;
      minOverlap = Math.min(minOverlap, other.minOverlap);
      maxScoreDeviation = Math.max(maxScoreDeviation, other.maxScoreDeviation);
    }
  }

  /**
   * The similarity of rankings.
   *
   * @param rankings the number of compared rankings
   * @param mean overlap; NaN without any
   * @param min overlap; NaN without any
   * @param maxScoreDeviation the largest difference of a document's scores, as a share of the
   *     larger one
   */
  record OverlapStats(long rankings, double mean, double min, double maxScoreDeviation) {}

  RecentComparisonStats(long nowNanos) {
    current = new MinuteStats(nowNanos);
    previous = new MinuteStats(nowNanos);
  }

  /** Adds the measurements of one comparison. */
  synchronized void add(
      long nowNanos, long primaryNanos, long shadowNanos, DifferenceCollector findings) {
    rotate(nowNanos);
    current.primary.recordValue(toMicros(primaryNanos));
    current.shadow.recordValue(toMicros(shadowNanos));
    double overlap = findings.minOverlap();
    if (!Double.isNaN(overlap)) {
      current.rankings++;
      current.overlapSum += overlap;
      current.minOverlap = Math.min(current.minOverlap, overlap);
    }
    current.maxScoreDeviation = Math.max(current.maxScoreDeviation, findings.maxScoreDeviation());
  }

  private static long toMicros(long nanos) {
    return Math.clamp(nanos / NANOS_PER_MICRO, 0, MAX_MICROS);
  }

  private void rotate(long nowNanos) {
    long age = nowNanos - current.startNanos;
    if (age >= MINUTE_NANOS) {
      previous = age < 2 * MINUTE_NANOS ? current : new MinuteStats(nowNanos);
      current = new MinuteStats(nowNanos);
    }
  }

  private MinuteStats merged(long nowNanos) {
    rotate(nowNanos);
    MinuteStats all = new MinuteStats(nowNanos);
    all.add(previous);
    all.add(current);
    return all;
  }

  synchronized OverlapStats overlaps(long nowNanos) {
    MinuteStats all = merged(nowNanos);
    boolean none = all.rankings == 0;
    return new OverlapStats(
        all.rankings,
        none ? Double.NaN : all.overlapSum / all.rankings,
        none ? Double.NaN : all.minOverlap,
        all.maxScoreDeviation);
  }

  /**
   * A quantile of the response times in seconds, of the other cluster or of the one that answered
   * the client.
   */
  synchronized double quantileSeconds(long nowNanos, boolean shadow, double quantile) {
    MinuteStats all = merged(nowNanos);
    Histogram of = shadow ? all.shadow : all.primary;
    return of.getTotalCount() == 0 ? 0 : of.getValueAtPercentile(quantile * 100) / 1e6;
  }

  /** Response times of both clusters by quantile, in milliseconds. */
  synchronized Map<String, Object> latencies(long nowNanos) {
    MinuteStats all = merged(nowNanos);
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("primary_ms", quantiles(all.primary));
    shown.put("shadow_ms", quantiles(all.shadow));
    return shown;
  }

  private static Map<String, Object> quantiles(Histogram of) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("count", of.getTotalCount());
    if (of.getTotalCount() > 0) {
      shown.put("p50", of.getValueAtPercentile(50) / MICROS_PER_MILLI);
      shown.put("p90", of.getValueAtPercentile(90) / MICROS_PER_MILLI);
      shown.put("p99", of.getValueAtPercentile(99) / MICROS_PER_MILLI);
      shown.put("max", of.getMaxValue() / MICROS_PER_MILLI);
    }
    return shown;
  }
}
