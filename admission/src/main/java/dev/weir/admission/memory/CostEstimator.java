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
public final class CostEstimator {
  /** Shapes that are told apart. */
  static final int MOST_SHAPES = 512;

  private static final double GAIN = 0.1;
  private static final double DEVIATIONS = 2;
  private static final double LEAST_RATIO = 0.01;
  private static final double MOST_RATIO = 1000;

  private final Map<String, Ratio> shapes = new ConcurrentHashMap<>();

  /**
   * What was learned of a shape.
   *
   * @param expected bytes of heap a byte on the wire, of which hardly any answer takes more
   * @param mean the same on average
   * @param answers measured so far
   */
  public record Learned(String shape, double expected, double mean, long answers) {}

  /**
   * The bytes of heap to expect a byte on the wire.
   *
   * @param unknown what to expect of a shape that nothing is known of
   */
  public double ratio(String shape, double unknown) {
    Ratio known = shapes.get(shape);
    return known == null ? unknown : known.upper();
  }

  /** The bytes of heap to expect of so many on the wire; {@code unknown} as above. */
  public long expect(String shape, long wireBytes, double unknown) {
    return (long) (wireBytes * ratio(shape, unknown));
  }

  /** Notes what an answer took. Nothing is learned of an empty one. */
  public void measured(String shape, long wireBytes, long heapBytes) {
    if (wireBytes <= 0 || heapBytes < 0) {
      return;
    }
    Ratio known = shapes.get(shape);
    if (known == null) {
      if (shapes.size() >= MOST_SHAPES) {
        return;
      }
      known = shapes.computeIfAbsent(shape, made -> new Ratio());
    }
    known.learn(Math.clamp((double) heapBytes / wireBytes, LEAST_RATIO, MOST_RATIO));
  }

  /** What was learned, of the shapes that were measured most. */
  public List<Learned> learned(int most) {
    return shapes.entrySet().stream()
        .map(entry -> entry.getValue().learned(entry.getKey()))
        .sorted(Comparator.comparingLong(Learned::answers).reversed())
        .limit(most)
        .toList();
  }

  private static final class Ratio {
    private double mean;
    private double variance;
    private long answers;

    synchronized void learn(double ratio) {
      answers++;
      if (answers == 1) {
        mean = ratio;
        variance = ratio * ratio / 4;
        return;
      }
      double gain = Math.max(GAIN, 1.0 / answers);
      double off = ratio - mean;
      mean += gain * off;
      variance = (1 - gain) * (variance + gain * off * off);
    }

    synchronized double upper() {
      return Math.min(MOST_RATIO, mean + DEVIATIONS * Math.sqrt(variance));
    }

    synchronized Learned learned(String shape) {
      return new Learned(shape, upper(), mean, answers);
    }
  }
}
