package dev.weir.responses.columnar;

import dev.weir.responses.columnar.FieldTypes.Kind;
import dev.weir.responses.columnar.table.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.PipelineAggregationBuilder;
import org.opensearch.search.aggregations.metrics.PercentileRanksAggregationBuilder;
import org.opensearch.search.aggregations.metrics.PercentilesAggregationBuilder;
import org.opensearch.search.aggregations.support.ValuesSourceAggregationBuilder;

/** Says what columns a metric has, by its kind: those that it has whatever is found. */
final class AskedMetrics {
  private static final List<String> STATS = List.of("min", "max", "avg", "sum");
  private static final List<String> MORE_STATS =
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

  private final FieldTypes fields;
  private final boolean sampled;

  /** Takes a column's name and type. */
  interface Takes {
    void column(String name, String type);
  }

  /**
   * Makes it.
   *
   * @param sampled whether metrics have bounds
   */
  AskedMetrics(FieldTypes fields, boolean sampled) {
    this.fields = fields;
    this.sampled = sampled;
  }

  /** The columns of a metric whose own is called like that; none where its kind is not known. */
  void of(AggregationBuilder metric, String name, Takes takes) {
    switch (metric.getType()) {
      case "avg", "sum", "min", "max", "median_absolute_deviation", "weighted_avg" -> {
        takes.column(name, Types.DOUBLE);
        if (isShown(metric)) {
          takes.column(name + ".value_as_string", Types.KEYWORD);
        }
        bounds(name, Types.DOUBLE, takes);
      }
      case "value_count", "cardinality" -> {
        takes.column(name, Types.LONG);
        bounds(name, Types.LONG, takes);
      }
      case "stats" -> stats(name, isShown(metric), takes);
      case "extended_stats" -> {
        stats(name, isShown(metric), takes);
        MORE_STATS.forEach(each -> takes.column(name + "." + each, Types.DOUBLE));
      }
      case "percentiles", "percentile_ranks" -> percentiles(metric, name, takes);
      case "geo_centroid" -> {
        takes.column(name + ".location.lat", Types.DOUBLE);
        takes.column(name + ".location.lon", Types.DOUBLE);
        takes.column(name + ".count", Types.LONG);
      }
      case "top_hits" -> {
        takes.column(name + ".hits.total", Types.LONG);
        takes.column(name + ".hits.total.relation", Types.KEYWORD);
        takes.column(name + ".hits.max_score", Types.DOUBLE);
        takes.column(name + ".hits.hits", Types.OBJECT);
      }
      default -> {
        // its columns are those that come up
      }
    }
  }

  /** The columns of what is worked out of other aggregations. */
  void of(PipelineAggregationBuilder pipeline, String name, Takes takes) {
    switch (pipeline.getWriteableName()) {
      case "avg_bucket",
          "sum_bucket",
          "bucket_script",
          "cumulative_sum",
          "derivative",
          "moving_avg",
          "moving_fn",
          "serial_diff" ->
          takes.column(name, Types.DOUBLE);
      case "max_bucket", "min_bucket" -> {
        takes.column(name, Types.DOUBLE);
        takes.column(name + ".keys", Types.KEYWORD);
      }
      case "stats_bucket" -> stats(name, false, takes);
      default -> {
        // as above
      }
    }
  }

  private void bounds(String name, String type, Takes takes) {
    if (sampled) {
      takes.column(name + ".bounds.lower", type);
      takes.column(name + ".bounds.upper", type);
    }
  }

  private static void stats(String name, boolean shown, Takes takes) {
    takes.column(name + ".count", Types.LONG);
    STATS.forEach(each -> takes.column(name + "." + each, Types.DOUBLE));
    if (shown) {
      STATS.forEach(each -> takes.column(name + "." + each + "_as_string", Types.KEYWORD));
    }
  }

  private static void percentiles(AggregationBuilder metric, String name, Takes takes) {
    double @Nullable [] keys =
        switch (metric) {
          case PercentilesAggregationBuilder some when some.keyed() -> some.percentiles();
          case PercentileRanksAggregationBuilder some when some.keyed() -> some.values();
          default -> null;
        };
    if (keys == null) {
      takes.column(name + ".values", Types.OBJECT);
      return;
    }
    for (double key : keys) {
      takes.column(name + ".values." + key, Types.DOUBLE);
    }
  }

  /**
   * Whether a node writes the values as text too: in a format that is asked for, or the field's.
   */
  private boolean isShown(AggregationBuilder metric) {
    if (!(metric instanceof ValuesSourceAggregationBuilder<?> of)) {
      return false;
    }
    Kind kind = fields.of(of.field());
    return of.format() != null || kind.shownAsText();
  }
}
