package dev.weir.responses.columnar;

import dev.weir.responses.columnar.KeyTypeResolver.KeyType;
import dev.weir.responses.columnar.table.ColumnTypes;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.PipelineAggregationBuilder;
import org.opensearch.search.aggregations.metrics.PercentileRanksAggregationBuilder;
import org.opensearch.search.aggregations.metrics.PercentilesAggregationBuilder;
import org.opensearch.search.aggregations.support.ValuesSourceAggregationBuilder;

/** Determines a metric's columns from its kind, before the search finds anything. */
final class MetricColumnResolver {
  private static final List<String> STATS = List.of("min", "max", "avg", "sum");
  private static final List<String> EXTENDED_STATS =
      List.of(
          "sum_of_squares",
          "variance",
          "variance_population",
          "variance_sampling",
          "std_deviation",
          "std_deviation_population",
          "std_deviation_sampling",
          "std_deviation_bounds.upper",
          "std_deviation_bounds.lower",
          "std_deviation_bounds.upper_population",
          "std_deviation_bounds.lower_population",
          "std_deviation_bounds.upper_sampling",
          "std_deviation_bounds.lower_sampling");

  private final KeyTypeResolver fields;
  private final boolean isSampled;

  interface ColumnConsumer {
    void accept(String name, String type);
  }

  /**
   * Creates a resolver for one search.
   *
   * @param sampled metrics have confidence intervals
   */
  MetricColumnResolver(KeyTypeResolver fields, boolean sampled) {
    this.fields = fields;
    this.isSampled = sampled;
  }

  /**
   * Passes on the columns of a metric; none for an unknown kind.
   *
   * @param name the name of the metric's main column
   */
  void resolve(AggregationBuilder metric, String name, ColumnConsumer consumer) {
    switch (metric.getType()) {
      case "avg", "sum", "min", "max", "median_absolute_deviation", "weighted_avg" -> {
        consumer.accept(name, ColumnTypes.DOUBLE);
        if (hasTextValue(metric)) {
          consumer.accept(name + ".value_as_string", ColumnTypes.KEYWORD);
        }
        addBounds(name, ColumnTypes.DOUBLE, consumer);
      }
      case "value_count", "cardinality" -> {
        consumer.accept(name, ColumnTypes.LONG);
        addBounds(name, ColumnTypes.LONG, consumer);
      }
      case "stats" -> {
        addStats(name, hasTextValue(metric), consumer);
        addBounds(name, "count", ColumnTypes.LONG, consumer);
        STATS.forEach(each -> addBounds(name, each, ColumnTypes.DOUBLE, consumer));
      }
      case "extended_stats" -> {
        addStats(name, hasTextValue(metric), consumer);
        EXTENDED_STATS.forEach(each -> consumer.accept(name + "." + each, ColumnTypes.DOUBLE));
      }
      case "percentiles", "percentile_ranks" -> addPercentiles(metric, name, consumer);
      case "geo_centroid" -> {
        consumer.accept(name + ".location.lat", ColumnTypes.DOUBLE);
        consumer.accept(name + ".location.lon", ColumnTypes.DOUBLE);
        consumer.accept(name + ".count", ColumnTypes.LONG);
      }
      case "top_hits" -> {
        consumer.accept(name + ".hits.total", ColumnTypes.LONG);
        consumer.accept(name + ".hits.total.relation", ColumnTypes.KEYWORD);
        consumer.accept(name + ".hits.max_score", ColumnTypes.DOUBLE);
        consumer.accept(name + ".hits.hits", ColumnTypes.OBJECT);
      }
      default -> {
        // unknown kinds get columns as their values arrive
      }
    }
  }

  /** Passes on the columns of a pipeline aggregation. */
  void resolve(PipelineAggregationBuilder pipeline, String name, ColumnConsumer consumer) {
    switch (pipeline.getWriteableName()) {
      case "avg_bucket",
          "sum_bucket",
          "cumulative_sum",
          "derivative",
          "moving_avg",
          "serial_diff" ->
          consumer.accept(name, ColumnTypes.DOUBLE);
      case "max_bucket", "min_bucket" -> {
        consumer.accept(name, ColumnTypes.DOUBLE);
        consumer.accept(name + ".keys", ColumnTypes.KEYWORD);
      }
      case "stats_bucket" -> addStats(name, false, consumer);
      default -> {
        // unknown kinds get columns as their values arrive
      }
    }
  }

  private void addBounds(String name, String type, ColumnConsumer consumer) {
    if (isSampled) {
      consumer.accept(name + ".bounds.lower", type);
      consumer.accept(name + ".bounds.upper", type);
    }
  }

  /** Passes on the bounds of one of several values. */
  private void addBounds(String name, String value, String type, ColumnConsumer consumer) {
    if (isSampled) {
      consumer.accept(name + ".bounds." + value + ".lower", type);
      consumer.accept(name + ".bounds." + value + ".upper", type);
    }
  }

  private static void addStats(String name, boolean shown, ColumnConsumer consumer) {
    consumer.accept(name + ".count", ColumnTypes.LONG);
    STATS.forEach(each -> consumer.accept(name + "." + each, ColumnTypes.DOUBLE));
    if (shown) {
      STATS.forEach(each -> consumer.accept(name + "." + each + "_as_string", ColumnTypes.KEYWORD));
    }
  }

  private void addPercentiles(AggregationBuilder metric, String name, ColumnConsumer consumer) {
    double @Nullable [] keys =
        switch (metric) {
          case PercentilesAggregationBuilder some when some.keyed() -> some.percentiles();
          case PercentileRanksAggregationBuilder some when some.keyed() -> some.values();
          default -> null;
        };
    if (keys == null) {
      consumer.accept(name + ".values", ColumnTypes.OBJECT);
      return;
    }
    for (double key : keys) {
      consumer.accept(name + ".values." + key, ColumnTypes.DOUBLE);
    }
    for (double key : keys) {
      addBounds(name, String.valueOf(key), ColumnTypes.DOUBLE, consumer);
    }
  }

  /** A node also writes the values as text if the request or the field has a format. */
  private boolean hasTextValue(AggregationBuilder metric) {
    if (!(metric instanceof ValuesSourceAggregationBuilder<?> of)) {
      return false;
    }
    KeyType kind = fields.typeOf(of.field());
    return of.format() != null || kind.isShownAsText();
  }
}
