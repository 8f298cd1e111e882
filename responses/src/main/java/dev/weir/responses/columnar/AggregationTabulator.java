package dev.weir.responses.columnar;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.Aggregations;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation;
import org.opensearch.search.aggregations.bucket.SingleBucketAggregation;
import org.opensearch.search.aggregations.bucket.composite.CompositeAggregation;
import org.opensearch.search.aggregations.bucket.range.Range;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;
import org.opensearch.search.aggregations.bucket.terms.SignificantTerms;

/**
 * Converts aggregations to tables: one table for each aggregation with buckets, one row for each
 * bucket. A table's name is the path to its aggregation in the syntax of OpenSearch's {@code
 * buckets_path}. {@link #ROOT} has one row, for everything outside of buckets.
 *
 * <p>A row contains the keys of the bucket and of its outer buckets, the bucket's document count,
 * its metrics, and the other counts of the aggregations nested in it (for example {@code
 * sum_other_doc_count}).
 */
final class AggregationTabulator {
  /** The name of the table of everything outside of buckets. */
  static final String ROOT = TablePath.ROOT;

  private final TableProvider tables;

  /** Creates the tables that are wanted. */
  interface TableProvider {
    /** Returns the table of a path; null if that table is not wanted. */
    @Nullable AggregationTableBuilder tableAt(String path);

    /** Returns true if the table of this path, or a table nested in it, is wanted. */
    boolean isWanted(String path);
  }

  /** A bucket and the buckets around it. */
  private record BucketPosition(
      @Nullable BucketPosition outer, TablePath path, MultiBucketsAggregation.Bucket bucket) {
    String name() {
      return path.column();
    }
  }

  private record NestedAggregation(String name, MultiBucketsAggregation aggregation) {}

  AggregationTabulator(TableProvider tables) {
    this.tables = tables;
  }

  /** Writes all tables. A search of no shard has no aggregations, and therefore no row. */
  void writeTables(Aggregations aggregations) throws IOException {
    if (!aggregations.asList().isEmpty()) {
      writeRow(ROOT, null, aggregations);
    }
  }

  private void writeRow(String path, @Nullable BucketPosition place, Aggregations aggregations)
      throws IOException {
    AggregationTableBuilder table = tables.tableAt(path);
    List<NestedAggregation> below = new ArrayList<>(0);
    if (table != null) {
      table.beginRow();
      if (place != null) {
        addKeys(table, place);
        table.addValue(TablePath.COUNT_COLUMN, place.bucket.getDocCount());
        addBucketDetails(table, place.name(), place.bucket);
      }
    }
    addMembers(table, place, "", aggregations, below);
    if (table != null) {
      table.endRow();
    }
    for (NestedAggregation each : below) {
      writeBuckets(each, place);
    }
  }

  private void writeBuckets(NestedAggregation below, @Nullable BucketPosition outer)
      throws IOException {
    TablePath at = TablePath.create(pathOf(outer), below.name);
    if (!tables.isWanted(at.path())) {
      return;
    }
    for (MultiBucketsAggregation.Bucket bucket : below.aggregation.getBuckets()) {
      writeRow(at.path(), new BucketPosition(outer, at, bucket), bucket.getAggregations());
    }
  }

  private static @Nullable TablePath pathOf(@Nullable BucketPosition place) {
    return place == null ? null : place.path;
  }

  private static void addKeys(AggregationTableBuilder table, BucketPosition place)
      throws IOException {
    if (place.outer != null) {
      addKeys(table, place.outer);
    }
    Object key = place.bucket.getKey();
    table.addValue(place.name(), key);
    String text = place.bucket.getKeyAsString();
    boolean plain = key == null || key instanceof String || AggregationRows.isCompound(key);
    if (!plain && text != null && !text.equals(Objects.toString(key))) {
      table.addValue(place.name() + ".key_as_string", text);
    }
  }

  private static void addBucketDetails(
      AggregationTableBuilder table, String name, MultiBucketsAggregation.Bucket bucket)
      throws IOException {
    switch (bucket) {
      case Range.Bucket range -> {
        table.addValue(name + ".from", formatBound(range.getFrom()));
        table.addValue(name + ".to", formatBound(range.getTo()));
      }
      case SignificantTerms.Bucket significant -> {
        table.addValue(name + ".score", significant.getSignificanceScore());
        table.addValue(name + ".bg_count", significant.getSupersetDf());
      }
      default -> {
        // other kinds of buckets add only their key and their count
      }
    }
  }

  /** Converts the bound of a range; null for an open end, as in OpenSearch. */
  private static @Nullable Object formatBound(@Nullable Object end) {
    return end instanceof Double number && number.isInfinite() ? null : end;
  }

  private void addMembers(
      @Nullable AggregationTableBuilder table,
      @Nullable BucketPosition place,
      String prefix,
      Aggregations aggregations,
      List<NestedAggregation> below)
      throws IOException {
    for (Aggregation aggregation : aggregations) {
      String name = prefix + aggregation.getName();
      String column = table == null ? name : TablePath.uniqueName(pathOf(place), name);
      switch (aggregation) {
        case MultiBucketsAggregation many -> {
          if (table != null) {
            addOtherCounts(table, column, many);
          }
          below.add(new NestedAggregation(name, many));
        }
        case SingleBucketAggregation single -> {
          if (table != null) {
            table.addValue(column + "." + TablePath.COUNT_COLUMN, single.getDocCount());
          }
          addMembers(table, place, name + ">", single.getAggregations(), below);
        }
        default -> {
          if (table != null) {
            table.addMetric(column, aggregation);
          }
        }
      }
    }
  }

  /** Adds the counts that an aggregation has in addition to its buckets. */
  private static void addOtherCounts(
      AggregationTableBuilder table, String name, MultiBucketsAggregation many) throws IOException {
    switch (many) {
      case InternalTerms<?, ?> terms -> {
        table.addValue(name + ".doc_count_error_upper_bound", terms.getDocCountError());
        table.addValue(name + ".sum_other_doc_count", terms.getSumOfOtherDocCounts());
      }
      case CompositeAggregation composite -> {
        if (composite.afterKey() != null) {
          table.addValue(name + ".after_key", composite.afterKey());
        }
      }
      default -> {
        // other kinds have no such counts
      }
    }
  }
}
