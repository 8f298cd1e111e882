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
 * Makes tables of aggregations: one of each aggregation that has buckets, a row a bucket, named by
 * the path to it in the words of OpenSearch's {@code buckets_path}; and {@link #ROOT}, of one row,
 * for what is in no bucket.
 *
 * <p>A row holds the keys of the buckets that it is in, its own count, its metrics, and what its
 * aggregations with buckets tell beside these.
 */
final class AggregationWalk {
  /** The table of what is in no bucket. */
  static final String ROOT = TablePath.ROOT;

  private final Tables tables;

  /** Says which tables are made. */
  interface Tables {
    /** The table of a path; null where it is not wanted. */
    @Nullable AggregationTable at(String path);

    /** Whether one of a path, or one below it, is wanted. */
    boolean wanted(String path);
  }

  /** A bucket, and those that it is in. */
  private record Place(@Nullable Place outer, TablePath at, MultiBucketsAggregation.Bucket bucket) {
    String name() {
      return at.column();
    }
  }

  private record Below(String name, MultiBucketsAggregation aggregation) {}

  AggregationWalk(Tables tables) {
    this.tables = tables;
  }

  /** Goes through all; where nothing was searched there are none, and no row either. */
  void walk(Aggregations aggregations) throws IOException {
    if (!aggregations.asList().isEmpty()) {
      row(ROOT, null, aggregations);
    }
  }

  private void row(String path, @Nullable Place place, Aggregations aggregations)
      throws IOException {
    AggregationTable table = tables.at(path);
    List<Below> below = new ArrayList<>(0);
    if (table != null) {
      table.begin();
      if (place != null) {
        keys(table, place);
        table.add(TablePath.COUNT, place.bucket.getDocCount());
        details(table, place.name(), place.bucket);
      }
    }
    members(table, place, "", aggregations, below);
    if (table != null) {
      table.end();
    }
    for (Below each : below) {
      buckets(each, place);
    }
  }

  private void buckets(Below below, @Nullable Place outer) throws IOException {
    TablePath at = TablePath.of(at(outer), below.name);
    if (!tables.wanted(at.path())) {
      return;
    }
    for (MultiBucketsAggregation.Bucket bucket : below.aggregation.getBuckets()) {
      row(at.path(), new Place(outer, at, bucket), bucket.getAggregations());
    }
  }

  private static @Nullable TablePath at(@Nullable Place place) {
    return place == null ? null : place.at;
  }

  private static void keys(AggregationTable table, Place place) throws IOException {
    if (place.outer != null) {
      keys(table, place.outer);
    }
    Object key = place.bucket.getKey();
    table.add(place.name(), key);
    String text = place.bucket.getKeyAsString();
    boolean plain = key == null || key instanceof String || AggregationRows.isCompound(key);
    if (!plain && text != null && !text.equals(Objects.toString(key))) {
      table.add(place.name() + ".key_as_string", text);
    }
  }

  private static void details(
      AggregationTable table, String name, MultiBucketsAggregation.Bucket bucket)
      throws IOException {
    switch (bucket) {
      case Range.Bucket range -> {
        table.add(name + ".from", bound(range.getFrom()));
        table.add(name + ".to", bound(range.getTo()));
      }
      case SignificantTerms.Bucket significant -> {
        table.add(name + ".score", significant.getSignificanceScore());
        table.add(name + ".bg_count", significant.getSupersetDf());
      }
      default -> {
        // tells no more than its key and its count
      }
    }
  }

  /** An end of a range; null for none, as OpenSearch has it. */
  private static @Nullable Object bound(@Nullable Object end) {
    return end instanceof Double number && number.isInfinite() ? null : end;
  }

  private void members(
      @Nullable AggregationTable table,
      @Nullable Place place,
      String prefix,
      Aggregations aggregations,
      List<Below> below)
      throws IOException {
    for (Aggregation aggregation : aggregations) {
      String name = prefix + aggregation.getName();
      String column = table == null ? name : TablePath.unique(at(place), name);
      switch (aggregation) {
        case MultiBucketsAggregation many -> {
          if (table != null) {
            beside(table, column, many);
          }
          below.add(new Below(name, many));
        }
        case SingleBucketAggregation single -> {
          if (table != null) {
            table.add(column + "." + TablePath.COUNT, single.getDocCount());
          }
          members(table, place, name + ">", single.getAggregations(), below);
        }
        default -> {
          if (table != null) {
            table.addMetric(column, aggregation);
          }
        }
      }
    }
  }

  /** What an aggregation tells beside its buckets. */
  private static void beside(AggregationTable table, String name, MultiBucketsAggregation many)
      throws IOException {
    switch (many) {
      case InternalTerms<?, ?> terms -> {
        table.add(name + ".doc_count_error_upper_bound", terms.getDocCountError());
        table.add(name + ".sum_other_doc_count", terms.getSumOfOtherDocCounts());
      }
      case CompositeAggregation composite -> {
        if (composite.afterKey() != null) {
          table.add(name + ".after_key", composite.afterKey());
        }
      }
      default -> {
        // tells nothing else
      }
    }
  }
}
