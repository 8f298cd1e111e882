package dev.weir.responses.columnar;

import dev.weir.responses.columnar.KeyTypeResolver.KeyType;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.ColumnTypes;
import dev.weir.responses.columnar.table.Columns;
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
 * The tables of a search's aggregations and their columns, as far as the request determines them.
 * They exist even if the search finds nothing, in request order; columns that only the results
 * determine follow. This class traverses aggregation requests as {@link AggregationTabulator}
 * traverses their results.
 */
final class RequestedTables {
  /** No table. */
  static final RequestedTables NONE = new RequestedTables(new KeyTypeResolver(List::of), false);

  private static final String COUNT_BOUNDS = TablePath.COUNT_COLUMN + "_bounds";
  private static final Set<String> SINGLE_BUCKET_TYPES =
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

  private final Map<String, List<ExpectedColumn>> byPath = new LinkedHashMap<>();
  private final KeyTypeResolver fields;
  private final MetricColumnResolver metrics;
  private final boolean isSampled;

  private record ExpectedColumn(String name, String type) {}

  /** An aggregation with buckets and the name of its table. */
  private record NestedAggregation(String name, AggregationBuilder aggregation) {}

  private RequestedTables(KeyTypeResolver fields, boolean sampled) {
    this.fields = fields;
    this.metrics = new MetricColumnResolver(fields, sampled);
    this.isSampled = sampled;
  }

  /**
   * Determines the tables of a search.
   *
   * @param sampled counts and metrics have confidence intervals
   */
  static RequestedTables from(
      AggregatorFactories.@Nullable Builder aggregations, KeyTypeResolver fields, boolean sampled) {
    if (aggregations == null) {
      return NONE;
    }
    RequestedTables tables = new RequestedTables(fields, sampled);
    tables.addRow(
        List.of(),
        aggregations.getAggregatorFactories(),
        aggregations.getPipelineAggregatorFactories());
    return tables;
  }

  /** Returns the tables' paths; outer tables come before the tables nested in them. */
  Set<String> paths() {
    return byPath.keySet();
  }

  /** Adds the columns of a table; none for an unknown table. */
  void declare(String path, Columns columns) {
    for (ExpectedColumn expected : byPath.getOrDefault(path, List.of())) {
      Column column = columns.getOrCreate(expected.name);
      if (expected.type.equals(ColumnTypes.DATE)) {
        column.declare(ColumnTypes.DATE, "epoch_millis");
      } else {
        column.setExpectedType(expected.type);
      }
    }
  }

  /**
   * Adds the columns of a table's rows.
   *
   * @param places the aggregations with buckets around these, the outermost first
   */
  private void addRow(
      List<BucketPosition> places,
      Collection<AggregationBuilder> aggregations,
      Collection<PipelineAggregationBuilder> pipelines) {
    BucketPosition place = places.isEmpty() ? null : places.getLast();
    List<ExpectedColumn> columns = new ArrayList<>();
    byPath.put(place == null ? TablePath.ROOT : place.path.path(), columns);
    if (place != null) {
      places.forEach(each -> addKeys(each, columns));
      columns.add(new ExpectedColumn(TablePath.COUNT_COLUMN, ColumnTypes.LONG));
      addBucketDetails(place, columns);
      if (isSampled) {
        columns.add(new ExpectedColumn(COUNT_BOUNDS + ".lower", ColumnTypes.LONG));
        columns.add(new ExpectedColumn(COUNT_BOUNDS + ".upper", ColumnTypes.LONG));
      }
    }
    List<NestedAggregation> below = new ArrayList<>();
    addMembers(place == null ? null : place.path, columns, "", aggregations, below);
    addPipelineColumns(place == null ? null : place.path, columns, "", pipelines);
    for (NestedAggregation each : below) {
      List<BucketPosition> inner = new ArrayList<>(places);
      inner.add(
          new BucketPosition(
              TablePath.create(place == null ? null : place.path, each.name), each.aggregation));
      addRow(
          inner, each.aggregation.getSubAggregations(), each.aggregation.getPipelineAggregations());
    }
  }

  private record BucketPosition(TablePath path, AggregationBuilder aggregation) {}

  private void addMembers(
      @Nullable TablePath at,
      List<ExpectedColumn> columns,
      String prefix,
      Collection<AggregationBuilder> aggregations,
      List<NestedAggregation> below) {
    for (AggregationBuilder aggregation : aggregations) {
      String name = prefix + aggregation.getName();
      String column = TablePath.uniqueName(at, name);
      if (hasBuckets(aggregation)) {
        addOtherCounts(aggregation, column, columns);
        below.add(new NestedAggregation(name, aggregation));
      } else if (SINGLE_BUCKET_TYPES.contains(aggregation.getType())) {
        columns.add(new ExpectedColumn(column + "." + TablePath.COUNT_COLUMN, ColumnTypes.LONG));
        addMembers(at, columns, name + ">", aggregation.getSubAggregations(), below);
        addPipelineColumns(at, columns, name + ">", aggregation.getPipelineAggregations());
      } else {
        metrics.resolve(
            aggregation, column, (own, type) -> columns.add(new ExpectedColumn(own, type)));
      }
    }
  }

  private void addPipelineColumns(
      @Nullable TablePath at,
      List<ExpectedColumn> columns,
      String prefix,
      Collection<PipelineAggregationBuilder> pipelines) {
    for (PipelineAggregationBuilder pipeline : pipelines) {
      metrics.resolve(
          pipeline,
          TablePath.uniqueName(at, prefix + pipeline.getName()),
          (own, type) -> columns.add(new ExpectedColumn(own, type)));
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

  /** Adds the columns of bucket keys, as {@link AggregationTabulator} does. */
  private void addKeys(BucketPosition place, List<ExpectedColumn> columns) {
    String name = place.path.column();
    AggregationBuilder aggregation = place.aggregation;
    switch (aggregation.getType()) {
      case "date_histogram", "auto_date_histogram" -> {
        columns.add(new ExpectedColumn(name, ColumnTypes.DATE));
        columns.add(new ExpectedColumn(asStringName(name), ColumnTypes.KEYWORD));
      }
      case "histogram", "variable_width_histogram" ->
          addKey(aggregation, name, ColumnTypes.DOUBLE, columns);
      case "terms", "rare_terms", "significant_terms" ->
          addKey(aggregation, name, keyType(aggregation), columns);
      case "composite" ->
          addCompositeSources((CompositeAggregationBuilder) aggregation, name, columns);
      case "multi_terms" -> columns.add(new ExpectedColumn(name, ColumnTypes.UNKNOWN));
      default -> columns.add(new ExpectedColumn(name, ColumnTypes.KEYWORD));
    }
  }

  private String keyType(AggregationBuilder aggregation) {
    return aggregation instanceof ValuesSourceAggregationBuilder<?> of && of.script() == null
        ? fields.typeOf(of.field()).columnType()
        : ColumnTypes.UNKNOWN;
  }

  private void addKey(
      AggregationBuilder aggregation, String name, String type, List<ExpectedColumn> columns) {
    columns.add(new ExpectedColumn(name, type));
    if (aggregation instanceof ValuesSourceAggregationBuilder<?> of
        && !type.equals(ColumnTypes.KEYWORD)
        && (of.format() != null || fields.typeOf(of.field()).isShownAsText())) {
      columns.add(new ExpectedColumn(asStringName(name), ColumnTypes.KEYWORD));
    }
  }

  private static String asStringName(String name) {
    return name + ".key_as_string";
  }

  private void addCompositeSources(
      CompositeAggregationBuilder composite, String name, List<ExpectedColumn> columns) {
    for (CompositeValuesSourceBuilder<?> source : composite.sources()) {
      String type =
          switch (source) {
            case HistogramValuesSourceBuilder _ -> ColumnTypes.DOUBLE;
            case DateHistogramValuesSourceBuilder _ -> ColumnTypes.LONG;
            case TermsValuesSourceBuilder terms when terms.script() == null ->
                sourceType(fields.typeOf(terms.field()));
            default -> ColumnTypes.UNKNOWN;
          };
      columns.add(
          new ExpectedColumn(
              name + "." + source.name(), source.format() == null ? type : ColumnTypes.KEYWORD));
    }
  }

  private static String sourceType(KeyType kind) {
    return kind == KeyType.BOOLEAN ? ColumnTypes.BOOLEAN : kind.columnType();
  }

  /** Adds the columns that buckets have in addition to their key and count. */
  private static void addBucketDetails(BucketPosition place, List<ExpectedColumn> columns) {
    String name = place.path.column();
    switch (place.aggregation.getType()) {
      case "range", "geo_distance" -> addRangeEnds(name, ColumnTypes.DOUBLE, columns);
      case "date_range" -> addRangeEnds(name, ColumnTypes.DATE, columns);
      case "ip_range" -> addRangeEnds(name, ColumnTypes.KEYWORD, columns);
      case "significant_terms", "significant_text" -> {
        columns.add(new ExpectedColumn(name + ".score", ColumnTypes.DOUBLE));
        columns.add(new ExpectedColumn(name + ".bg_count", ColumnTypes.LONG));
      }
      default -> {
        // other kinds have no such columns
      }
    }
  }

  private static void addRangeEnds(String name, String type, List<ExpectedColumn> columns) {
    columns.add(new ExpectedColumn(name + ".from", type));
    columns.add(new ExpectedColumn(name + ".to", type));
  }

  /** Adds the counts that an aggregation has in addition to its buckets. */
  private void addOtherCounts(
      AggregationBuilder aggregation, String name, List<ExpectedColumn> columns) {
    switch (aggregation.getType()) {
      case "terms", "multi_terms" -> {
        columns.add(new ExpectedColumn(name + ".doc_count_error_upper_bound", ColumnTypes.LONG));
        columns.add(new ExpectedColumn(name + ".sum_other_doc_count", ColumnTypes.LONG));
      }
      case "composite" ->
          addCompositeSources(
              (CompositeAggregationBuilder) aggregation, name + ".after_key", columns);
      default -> {
        // other kinds have no such counts
      }
    }
  }
}
