package dev.weir.admission.memory;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Learns how many bytes of heap a byte on the wire becomes, by the shape of what is read: a
 * percentile's digest takes a hundred, a term's bucket ten, a document's source none. Safe on any
 * thread.
 *
 * <p>What it expects is an upper quantile: the mean {@code m} of the measured ratios plus twice
 * their standard deviation, both exponentially weighted with the gain {@code max(0.1, 1 / n)}. The
 * first measurement counts as one of a wide spread, so that a single one does not promise too
 * little. Shapes have a bound; what is new then is taken for unknown.
 */
public final class HeapBytesEstimator {
  /** Shapes that are told apart. */
  static final int MAX_SHAPES = 512;

  private static final double GAIN = 0.1;
  private static final double DEVIATIONS = 2;
  private static final double MIN_RATIO = 0.01;
  private static final double MAX_RATIO = 1000;

  private final Map<String, RatioStatistics> shapes = new ConcurrentHashMap<>();

  /**
   * What was learned of a shape.
   *
   * @param upperRatio bytes of heap a byte on the wire, of which hardly any answer takes more
   * @param meanRatio the same on average
   * @param samples measured so far
   */
  public record RatioEstimate(String shape, double upperRatio, double meanRatio, long samples) {}

  /**
   * The bytes of heap to expect a byte on the wire.
   *
   * @param unknown what to expect of a shape that nothing is known of
   */
  public double estimateRatio(String shape, double unknown) {
    RatioStatistics known = shapes.get(shape);
    return known == null ? unknown : known.upperBound();
  }

  /** The bytes of heap to expect of so many on the wire; {@code unknown} as above. */
  public long estimateHeapBytes(String shape, long wireBytes, double unknown) {
    return (long) (wireBytes * estimateRatio(shape, unknown));
  }

  /** Notes what an answer took. Nothing is learned of an empty one. */
  public void record(String shape, long wireBytes, long heapBytes) {
    if (wireBytes <= 0 || heapBytes < 0) {
      return;
    }
    RatioStatistics known = shapes.get(shape);
    if (known == null) {
      if (shapes.size() >= MAX_SHAPES) {
        return;
      }
      known = shapes.computeIfAbsent(shape, made -> new RatioStatistics());
    }
    known.record(Math.clamp((double) heapBytes / wireBytes, MIN_RATIO, MAX_RATIO));
  }

  /** What was learned, of the shapes that were measured most. */
  public List<RatioEstimate> estimates(int most) {
    return shapes.entrySet().stream()
        .map(entry -> entry.getValue().toEstimate(entry.getKey()))
        .sorted(Comparator.comparingLong(RatioEstimate::samples).reversed())
        .limit(most)
        .toList();
  }

  private static final class RatioStatistics {
    private double mean;
    private double variance;
    private long samples;

    synchronized void record(double ratio) {
      samples++;
      if (samples == 1) {
        mean = ratio;
        variance = ratio * ratio / 4;
        return;
      }
      double gain = Math.max(GAIN, 1.0 / samples);
      double off = ratio - mean;
      mean += gain * off;
      variance = (1 - gain) * (variance + gain * off * off);
    }

    synchronized double upperBound() {
      return Math.min(MAX_RATIO, mean + DEVIATIONS * Math.sqrt(variance));
    }

    synchronized RatioEstimate toEstimate(String shape) {
      return new RatioEstimate(shape, upperBound(), mean, samples);
    }
  }
}
