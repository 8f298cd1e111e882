package dev.weir.admission.memory;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Learns how many bytes of heap one byte on the wire takes when decoded, for each shape of
 * response: a hundred for a percentiles digest, ten for a terms bucket, none for a document's
 * source.
 *
 * <p>The estimate is an upper quantile: the mean {@code m} of the measured ratios plus twice their
 * standard deviation, both exponentially weighted with the gain {@code max(0.1, 1 / n)}. The first
 * measurement counts with a wide deviation, because a single one says little.
 *
 * <p>Tracks {@value #MAX_SHAPES} shapes. A new shape evicts the one that was estimated or measured
 * longest ago, so that the estimator adapts when the gateway serves other searches.
 *
 * <p>Safe on any thread. Estimating takes the lock of its shape alone; a new shape takes one for a
 * scan of all shapes.
 */
public final class HeapBytesEstimator {
  /** The number of tracked shapes. */
  static final int MAX_SHAPES = 512;

  private static final double GAIN = 0.1;
  private static final double DEVIATIONS = 2;
  private static final double MIN_RATIO = 0.01;
  private static final double MAX_RATIO = 1000;

  private final Map<String, RatioStatistics> shapes = new ConcurrentHashMap<>();

  /**
   * Orders the uses of shapes. Advances with measurements, so that an idle gateway evicts nothing.
   */
  private final AtomicLong useClock = new AtomicLong();

  /**
   * The estimate for one shape.
   *
   * @param upperRatio bytes of heap for each byte on the wire, exceeded by few responses
   * @param meanRatio the mean bytes of heap for each byte on the wire
   * @param samples measured responses
   */
  public record RatioEstimate(String shape, double upperRatio, double meanRatio, long samples) {}

  /**
   * Returns the estimated bytes of heap for each byte on the wire.
   *
   * @param defaultRatio the ratio of a shape without measurements
   */
  public double estimateRatio(String shape, double defaultRatio) {
    RatioStatistics known = shapes.get(shape);
    if (known == null) {
      return defaultRatio;
    }
    known.lastUse = useClock.get();
    return known.upperBound(defaultRatio);
  }

  /**
   * Returns the estimated bytes of heap of a response.
   *
   * @param defaultRatio the ratio of a shape without measurements
   */
  public long estimateHeapBytes(String shape, long wireBytes, double defaultRatio) {
    return (long) (wireBytes * estimateRatio(shape, defaultRatio));
  }

  /** Records the measured heap bytes of a response. Ignores an empty response. */
  public void record(String shape, long wireBytes, long heapBytes) {
    if (wireBytes <= 0 || heapBytes < 0) {
      return;
    }
    RatioStatistics known = shapes.get(shape);
    if (known == null) {
      known = addShape(shape);
    }
    known.lastUse = useClock.incrementAndGet();
    known.record(Math.clamp((double) heapBytes / wireBytes, MIN_RATIO, MAX_RATIO));
  }

  private RatioStatistics addShape(String shape) {
    synchronized (shapes) {
      RatioStatistics known = shapes.get(shape);
      if (known != null) {
        return known; // another thread added it first
      }
      if (shapes.size() >= MAX_SHAPES) {
        evictLeastRecentlyUsed();
      }
      RatioStatistics added = new RatioStatistics(useClock.get());
      shapes.put(shape, added);
      return added;
    }
  }

  private void evictLeastRecentlyUsed() {
    String oldest = null;
    long oldestUse = Long.MAX_VALUE;
    for (Map.Entry<String, RatioStatistics> entry : shapes.entrySet()) {
      long use = entry.getValue().lastUse;
      if (use < oldestUse) {
        oldestUse = use;
        oldest = entry.getKey();
      }
    }
    if (oldest != null) {
      shapes.remove(oldest);
    }
  }

  /**
   * Returns the estimates of the shapes with the most measurements.
   *
   * @param maxShapes the longest list
   */
  public List<RatioEstimate> estimates(int maxShapes) {
    return shapes.entrySet().stream()
        .map(entry -> entry.getValue().toEstimate(entry.getKey()))
        .sorted(Comparator.comparingLong(RatioEstimate::samples).reversed())
        .limit(maxShapes)
        .toList();
  }

  private static final class RatioStatistics {
    private double mean;
    private double variance;
    private long samples;
    private volatile long lastUse;

    RatioStatistics(long lastUse) {
      this.lastUse = lastUse;
    }

    synchronized void record(double ratio) {
      samples++;
      if (samples == 1) {
        mean = ratio;
        variance = ratio * ratio / 4;
        return;
      }
      double gain = Math.max(GAIN, 1.0 / samples);
      double deviation = ratio - mean;
      mean += gain * deviation;
      variance = (1 - gain) * (variance + gain * deviation * deviation);
    }

    /** Returns the default until the first measurement, which follows the shape's addition. */
    synchronized double upperBound(double defaultRatio) {
      return samples == 0
          ? defaultRatio
          : Math.min(MAX_RATIO, mean + DEVIATIONS * Math.sqrt(variance));
    }

    synchronized RatioEstimate toEstimate(String shape) {
      return new RatioEstimate(shape, upperBound(0), mean, samples);
    }
  }
}
