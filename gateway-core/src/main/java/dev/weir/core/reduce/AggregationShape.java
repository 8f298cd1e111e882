package dev.weir.core.reduce;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * What the aggregations of a search are, for the purpose of expecting the memory they take.
 *
 * @param key types and how they are nested, such as {@code terms(avg)}, and before them how they
 *     are reduced where that is another way; empty for none
 * @param ratio bytes of heap to expect of a byte on the wire while nothing was learned
 * @param swells whether they may take far more memory than their bytes suggest
 * @param fillsGaps whether a histogram is among them whose gaps the reduction fills
 * @param named the first names with their types
 */
record AggregationShape(
    String key, double ratio, boolean swells, boolean fillsGaps, List<String> named) {
  /** No aggregations. */
  static final AggregationShape NONE = new AggregationShape("", 1, false, false, List.of());

  /** An ordinary bucket takes fifteen bytes on the wire and, as objects, some hundred and fifty. */
  private static final double ORDINARY = 8;

  /**
   * Reduced as numbers, a bucket without metrics takes ten bytes on the wire and eighty in arrays.
   */
  private static final double NUMBERS = 8;

  /** With metrics it takes thirty bytes or more, and a hundred in arrays. */
  private static final double NUMBERS_WITH_METRICS = 4;

  /** A digest or sketch takes hundreds of bytes on the wire and several kilobytes as arrays. */
  private static final double SWELLING = 40;

  private static final int LONGEST_KEY = 200;
  private static final int MOST_NAMED = 5;

  static AggregationShape of(@Nullable SearchSourceBuilder source) {
    if (source == null || source.aggregations() == null) {
      return NONE;
    }
    Collection<AggregationBuilder> all = source.aggregations().getAggregatorFactories();
    StringBuilder key = new StringBuilder();
    write(all, key);
    boolean swells = ReduceCost.swells(source);
    List<String> named = new ArrayList<>();
    for (AggregationBuilder one : all) {
      if (named.size() < MOST_NAMED) {
        named.add("aggregation [" + one.getName() + "] (" + one.getType() + ")");
      }
    }
    return new AggregationShape(
        key.toString(), swells ? SWELLING : ORDINARY, swells, fillsGaps(all), List.copyOf(named));
  }

  /** The same ones, reduced as numbers rather than objects. */
  AggregationShape asNumbers() {
    double expected = key.indexOf('(') < 0 ? NUMBERS : NUMBERS_WITH_METRICS;
    return new AggregationShape("numbers:" + key, expected, swells, fillsGaps, named);
  }

  private static void write(Collection<AggregationBuilder> all, StringBuilder key) {
    boolean first = true;
    for (AggregationBuilder one : all) {
      if (key.length() > LONGEST_KEY) {
        key.append("..");
        return;
      }
      key.append(first ? "" : ",").append(one.getType());
      first = false;
      if (!one.getSubAggregations().isEmpty()) {
        key.append('(');
        write(one.getSubAggregations(), key);
        key.append(')');
      }
    }
  }

  private static boolean fillsGaps(Collection<AggregationBuilder> all) {
    for (AggregationBuilder one : all) {
      boolean fills =
          switch (one) {
            case DateHistogramAggregationBuilder dates -> dates.minDocCount() == 0;
            case HistogramAggregationBuilder numbers -> numbers.minDocCount() == 0;
            default -> false;
          };
      if (fills || fillsGaps(one.getSubAggregations())) {
        return true;
      }
    }
    return false;
  }
}
