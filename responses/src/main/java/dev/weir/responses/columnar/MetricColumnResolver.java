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

/** Says what columns a metric has, by its kind: those that it has whatever is found. */
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

  /** Takes a column's name and type. */
  interface ColumnConsumer {
    void accept(String name, String type);
  }

  /**
   * Makes it.
   *
   * @param sampled whether metrics have bounds
   */
  MetricColumnResolver(KeyTypeResolver fields, boolean sampled) {
    this.fields = fields;
    this.isSampled = sampled;
  }

  /** The columns of a metric whose own is called like that; none where its kind is not known. */
  void resolve(AggregationBuilder metric, String name, ColumnConsumer takes) {
    switch (metric.getType()) {
      case "avg", "sum", "min", "max", "median_absolute_deviation", "weighted_avg" -> {
        takes.accept(name, ColumnTypes.DOUBLE);
        if (hasTextValue(metric)) {
          takes.accept(name + ".value_as_string", ColumnTypes.KEYWORD);
        }
        addBounds(name, ColumnTypes.DOUBLE, takes);
      }
      case "value_count", "cardinality" -> {
        takes.accept(name, ColumnTypes.LONG);
        addBounds(name, ColumnTypes.LONG, takes);
      }
      case "stats" -> addStats(name, hasTextValue(metric), takes);
      case "extended_stats" -> {
        addStats(name, hasTextValue(metric), takes);
        EXTENDED_STATS.forEach(each -> takes.accept(name + "." + each, ColumnTypes.DOUBLE));
      }
      case "percentiles", "percentile_ranks" -> addPercentiles(metric, name, takes);
      case "geo_centroid" -> {
        takes.accept(name + ".location.lat", ColumnTypes.DOUBLE);
        takes.accept(name + ".location.lon", ColumnTypes.DOUBLE);
        takes.accept(name + ".count", ColumnTypes.LONG);
      }
      case "top_hits" -> {
        takes.accept(name + ".hits.total", ColumnTypes.LONG);
        takes.accept(name + ".hits.total.relation", ColumnTypes.KEYWORD);
        takes.accept(name + ".hits.max_score", ColumnTypes.DOUBLE);
        takes.accept(name + ".hits.hits", ColumnTypes.OBJECT);
      }
      default -> {
        // its columns are those that come up
      }
    }
  }

  /** The columns of what is worked out of other aggregations. */
  void resolve(PipelineAggregationBuilder pipeline, String name, ColumnConsumer takes) {
    switch (pipeline.getWriteableName()) {
      case "avg_bucket",
          "sum_bucket",
          "bucket_script",
          "cumulative_sum",
          "derivative",
          "moving_avg",
          "moving_fn",
          "serial_diff" ->
          takes.accept(name, ColumnTypes.DOUBLE);
      case "max_bucket", "min_bucket" -> {
        takes.accept(name, ColumnTypes.DOUBLE);
        takes.accept(name + ".keys", ColumnTypes.KEYWORD);
      }
      case "stats_bucket" -> addStats(name, false, takes);
      default -> {
        // as above
      }
    }
  }

  private void addBounds(String name, String type, ColumnConsumer takes) {
    if (isSampled) {
      takes.accept(name + ".bounds.lower", type);
      takes.accept(name + ".bounds.upper", type);
    }
  }

  private static void addStats(String name, boolean shown, ColumnConsumer takes) {
    takes.accept(name + ".count", ColumnTypes.LONG);
    STATS.forEach(each -> takes.accept(name + "." + each, ColumnTypes.DOUBLE));
    if (shown) {
      STATS.forEach(each -> takes.accept(name + "." + each + "_as_string", ColumnTypes.KEYWORD));
    }
  }

  private static void addPercentiles(AggregationBuilder metric, String name, ColumnConsumer takes) {
    double @Nullable [] keys =
        switch (metric) {
          case PercentilesAggregationBuilder some when some.keyed() -> some.percentiles();
          case PercentileRanksAggregationBuilder some when some.keyed() -> some.values();
          default -> null;
        };
    if (keys == null) {
      takes.accept(name + ".values", ColumnTypes.OBJECT);
      return;
    }
    for (double key : keys) {
      takes.accept(name + ".values." + key, ColumnTypes.DOUBLE);
    }
  }

  /**
   * Whether a node writes the values as text too: in a format that is asked for, or the field's.
   */
  private boolean hasTextValue(AggregationBuilder metric) {
    if (!(metric instanceof ValuesSourceAggregationBuilder<?> of)) {
      return false;
    }
    KeyType kind = fields.typeOf(of.field());
    return of.format() != null || kind.isShownAsText();
  }
}
