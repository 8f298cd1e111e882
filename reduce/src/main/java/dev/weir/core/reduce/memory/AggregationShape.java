package dev.weir.core.reduce.memory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * The kinds of aggregations in a search, from which their memory is estimated.
 *
 * @param key types and their nesting, such as {@code terms(avg)}, with a prefix if they are reduced
 *     in an unusual way; empty without aggregations
 * @param heapRatio expected heap bytes per byte on the wire before anything was measured
 * @param canAmplifyMemory whether they may take far more memory than their bytes suggest
 * @param hasGapFilling whether there is a histogram whose gaps the reduction fills
 * @param names the first names with their types
 */
public record AggregationShape(
    String key,
    double heapRatio,
    boolean canAmplifyMemory,
    boolean hasGapFilling,
    List<String> names) {
  /** No aggregations. */
  public static final AggregationShape NONE = new AggregationShape("", 1, false, false, List.of());

  /** An ordinary bucket takes fifteen bytes on the wire and, as objects, some hundred and fifty. */
  private static final double DEFAULT_RATIO = 8;

  /**
   * Reduced as numbers, a bucket without metrics takes ten bytes on the wire and eighty in arrays.
   */
  private static final double NUMERIC_RATIO = 8;

  /** With metrics it takes thirty bytes or more, and a hundred in arrays. */
  private static final double NUMERIC_WITH_METRICS_RATIO = 4;

  /** A digest or sketch takes hundreds of bytes on the wire and several kilobytes as arrays. */
  private static final double AMPLIFYING_RATIO = 40;

  private static final int MAX_KEY_LENGTH = 200;
  private static final int MAX_NAMES = 5;

  public static AggregationShape of(@Nullable SearchSourceBuilder source) {
    if (source == null || source.aggregations() == null) {
      return NONE;
    }
    Collection<AggregationBuilder> all = source.aggregations().getAggregatorFactories();
    StringBuilder key = new StringBuilder();
    writeKey(all, key);
    boolean swells = ReduceCostClassifier.canAmplifyMemory(source);
    List<String> named = new ArrayList<>();
    for (AggregationBuilder one : all) {
      if (named.size() < MAX_NAMES) {
        named.add("aggregation [" + one.getName() + "] (" + one.getType() + ")");
      }
    }
    return new AggregationShape(
        key.toString(),
        swells ? AMPLIFYING_RATIO : DEFAULT_RATIO,
        swells,
        hasGapFilling(all),
        List.copyOf(named));
  }

  /** The same ones, reduced as numbers rather than objects. */
  public AggregationShape withNumericReduction() {
    double expected = key.indexOf('(') < 0 ? NUMERIC_RATIO : NUMERIC_WITH_METRICS_RATIO;
    return new AggregationShape("numbers:" + key, expected, canAmplifyMemory, hasGapFilling, names);
  }

  private static void writeKey(Collection<AggregationBuilder> all, StringBuilder key) {
    boolean first = true;
    for (AggregationBuilder one : all) {
      if (key.length() > MAX_KEY_LENGTH) {
        key.append("..");
        return;
      }
      key.append(first ? "" : ",").append(one.getType());
      first = false;
      if (!one.getSubAggregations().isEmpty()) {
        key.append('(');
        writeKey(one.getSubAggregations(), key);
        key.append(')');
      }
    }
  }

  private static boolean hasGapFilling(Collection<AggregationBuilder> all) {
    for (AggregationBuilder one : all) {
      boolean fills =
          switch (one) {
            case DateHistogramAggregationBuilder dates -> dates.minDocCount() == 0;
            case HistogramAggregationBuilder numbers -> numbers.minDocCount() == 0;
            default -> false;
          };
      if (fills || hasGapFilling(one.getSubAggregations())) {
        return true;
      }
    }
    return false;
  }
}
