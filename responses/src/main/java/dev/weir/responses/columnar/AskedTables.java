package dev.weir.responses.columnar;

import dev.weir.responses.columnar.FieldTypes.Kind;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.Types;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregatorFactories;
import org.opensearch.search.aggregations.PipelineAggregationBuilder;
import org.opensearch.search.aggregations.bucket.composite.CompositeAggregationBuilder;
import org.opensearch.search.aggregations.bucket.composite.CompositeValuesSourceBuilder;
import org.opensearch.search.aggregations.bucket.composite.DateHistogramValuesSourceBuilder;
import org.opensearch.search.aggregations.bucket.composite.HistogramValuesSourceBuilder;
import org.opensearch.search.aggregations.bucket.composite.TermsValuesSourceBuilder;
import org.opensearch.search.aggregations.support.ValuesSourceAggregationBuilder;

/**
 * The tables that a search's aggregations come to, and their columns, as far as the request tells:
 * they are there whatever is found, in the order of the request. Columns that only what is found
 * tells come behind them. Goes through the aggregations as {@link AggregationWalk} goes through
 * what became of them.
 */
final class AskedTables {
  /** None. */
  static final AskedTables NONE = new AskedTables(new FieldTypes(List::of), false);

  private static final String COUNT_BOUNDS = TablePath.COUNT + "_bounds";
  private static final Set<String> SINGLE =
      Set.of(
          "filter",
          "global",
          "missing",
          "nested",
          "reverse_nested",
          "sampler",
          "diversified_sampler",
          "children",
          "parent");

  private final Map<String, List<Expected>> byPath = new LinkedHashMap<>();
  private final FieldTypes fields;
  private final AskedMetrics metrics;
  private final boolean sampled;

  private record Expected(String name, String type) {}

  /** An aggregation with buckets, and where it lies. */
  private record Below(String name, AggregationBuilder aggregation) {}

  private AskedTables(FieldTypes fields, boolean sampled) {
    this.fields = fields;
    this.metrics = new AskedMetrics(fields, sampled);
    this.sampled = sampled;
  }

  /**
   * Those of a search.
   *
   * @param sampled whether its figures have bounds
   */
  static AskedTables of(
      AggregatorFactories.@Nullable Builder aggregations, FieldTypes fields, boolean sampled) {
    if (aggregations == null) {
      return NONE;
    }
    AskedTables tables = new AskedTables(fields, sampled);
    tables.row(
        List.of(),
        aggregations.getAggregatorFactories(),
        aggregations.getPipelineAggregatorFactories());
    return tables;
  }

  /** Their paths, each behind the one that it lies in. */
  Set<String> paths() {
    return byPath.keySet();
  }

  /** Adds the columns of a table; none where it is not known. */
  void declare(String path, Columns columns) {
    for (Expected expected : byPath.getOrDefault(path, List.of())) {
      Column column = columns.of(expected.name);
      if (expected.type.equals(Types.DATE)) {
        column.declare(Types.DATE, "epoch_millis");
      } else {
        column.expect(expected.type);
      }
    }
  }

  /** The rows of a table, in which these lie that have buckets; the outermost first. */
  private void row(
      List<Place> places,
      Collection<AggregationBuilder> aggregations,
      Collection<PipelineAggregationBuilder> pipelines) {
    Place place = places.isEmpty() ? null : places.getLast();
    List<Expected> columns = new ArrayList<>();
    byPath.put(place == null ? TablePath.ROOT : place.at.path(), columns);
    if (place != null) {
      places.forEach(each -> keys(each, columns));
      columns.add(new Expected(TablePath.COUNT, Types.LONG));
      details(place, columns);
      if (sampled) {
        columns.add(new Expected(COUNT_BOUNDS + ".lower", Types.LONG));
        columns.add(new Expected(COUNT_BOUNDS + ".upper", Types.LONG));
      }
    }
    List<Below> below = new ArrayList<>();
    members(place == null ? null : place.at, columns, "", aggregations, below);
    worked(place == null ? null : place.at, columns, "", pipelines);
    for (Below each : below) {
      List<Place> inner = new ArrayList<>(places);
      inner.add(
          new Place(TablePath.of(place == null ? null : place.at, each.name), each.aggregation));
      row(inner, each.aggregation.getSubAggregations(), each.aggregation.getPipelineAggregations());
    }
  }

  private record Place(TablePath at, AggregationBuilder aggregation) {}

  private void members(
      @Nullable TablePath at,
      List<Expected> columns,
      String prefix,
      Collection<AggregationBuilder> aggregations,
      List<Below> below) {
    for (AggregationBuilder aggregation : aggregations) {
      String name = prefix + aggregation.getName();
      String column = TablePath.unique(at, name);
      if (hasBuckets(aggregation)) {
        beside(aggregation, column, columns);
        below.add(new Below(name, aggregation));
      } else if (SINGLE.contains(aggregation.getType())) {
        columns.add(new Expected(column + "." + TablePath.COUNT, Types.LONG));
        members(at, columns, name + ">", aggregation.getSubAggregations(), below);
        worked(at, columns, name + ">", aggregation.getPipelineAggregations());
      } else {
        metrics.of(aggregation, column, (own, type) -> columns.add(new Expected(own, type)));
      }
    }
  }

  private void worked(
      @Nullable TablePath at,
      List<Expected> columns,
      String prefix,
      Collection<PipelineAggregationBuilder> pipelines) {
    for (PipelineAggregationBuilder pipeline : pipelines) {
      metrics.of(
          pipeline,
          TablePath.unique(at, prefix + pipeline.getName()),
          (own, type) -> columns.add(new Expected(own, type)));
    }
  }

  private static boolean hasBuckets(AggregationBuilder aggregation) {
    return switch (aggregation.getType()) {
      case "terms",
          "rare_terms",
          "significant_terms",
          "significant_text",
          "multi_terms",
          "histogram",
          "date_histogram",
          "auto_date_histogram",
          "variable_width_histogram",
          "range",
          "date_range",
          "ip_range",
          "geo_distance",
          "geohash_grid",
          "geotile_grid",
          "filters",
          "adjacency_matrix",
          "composite" ->
          true;
      default -> false;
    };
  }

  /** The columns of keys, as {@link AggregationWalk} makes them. */
  private void keys(Place place, List<Expected> columns) {
    String name = place.at.column();
    AggregationBuilder aggregation = place.aggregation;
    switch (aggregation.getType()) {
      case "date_histogram", "auto_date_histogram" -> {
        columns.add(new Expected(name, Types.DATE));
        columns.add(new Expected(text(name), Types.KEYWORD));
      }
      case "histogram", "variable_width_histogram" -> key(aggregation, name, Types.DOUBLE, columns);
      case "terms", "rare_terms", "significant_terms" ->
          key(aggregation, name, keyType(aggregation), columns);
      case "composite" -> sources((CompositeAggregationBuilder) aggregation, name, columns);
      case "multi_terms" -> columns.add(new Expected(name, Types.UNKNOWN));
      default -> columns.add(new Expected(name, Types.KEYWORD));
    }
  }

  private String keyType(AggregationBuilder aggregation) {
    return aggregation instanceof ValuesSourceAggregationBuilder<?> of && of.script() == null
        ? fields.of(of.field()).type()
        : Types.UNKNOWN;
  }

  private void key(
      AggregationBuilder aggregation, String name, String type, List<Expected> columns) {
    columns.add(new Expected(name, type));
    if (aggregation instanceof ValuesSourceAggregationBuilder<?> of
        && !type.equals(Types.KEYWORD)
        && (of.format() != null || fields.of(of.field()).shownAsText())) {
      columns.add(new Expected(text(name), Types.KEYWORD));
    }
  }

  private static String text(String name) {
    return name + ".key_as_string";
  }

  private void sources(CompositeAggregationBuilder composite, String name, List<Expected> columns) {
    for (CompositeValuesSourceBuilder<?> source : composite.sources()) {
      String type =
          switch (source) {
            case HistogramValuesSourceBuilder _ -> Types.DOUBLE;
            case DateHistogramValuesSourceBuilder _ -> Types.LONG;
            case TermsValuesSourceBuilder terms when terms.script() == null ->
                ofSource(fields.of(terms.field()));
            default -> Types.UNKNOWN;
          };
      columns.add(
          new Expected(name + "." + source.name(), source.format() == null ? type : Types.KEYWORD));
    }
  }

  private static String ofSource(Kind kind) {
    return kind == Kind.TRUTH ? Types.BOOLEAN : kind.type();
  }

  /** What buckets tell besides their key and count. */
  private static void details(Place place, List<Expected> columns) {
    String name = place.at.column();
    switch (place.aggregation.getType()) {
      case "range", "geo_distance" -> ends(name, Types.DOUBLE, columns);
      case "date_range" -> ends(name, Types.DATE, columns);
      case "ip_range" -> ends(name, Types.KEYWORD, columns);
      case "significant_terms", "significant_text" -> {
        columns.add(new Expected(name + ".score", Types.DOUBLE));
        columns.add(new Expected(name + ".bg_count", Types.LONG));
      }
      default -> {
        // nothing
      }
    }
  }

  private static void ends(String name, String type, List<Expected> columns) {
    columns.add(new Expected(name + ".from", type));
    columns.add(new Expected(name + ".to", type));
  }

  /** What an aggregation tells beside its buckets. */
  private void beside(AggregationBuilder aggregation, String name, List<Expected> columns) {
    switch (aggregation.getType()) {
      case "terms", "multi_terms" -> {
        columns.add(new Expected(name + ".doc_count_error_upper_bound", Types.LONG));
        columns.add(new Expected(name + ".sum_other_doc_count", Types.LONG));
      }
      case "composite" ->
          sources((CompositeAggregationBuilder) aggregation, name + ".after_key", columns);
      default -> {
        // nothing
      }
    }
  }
}
