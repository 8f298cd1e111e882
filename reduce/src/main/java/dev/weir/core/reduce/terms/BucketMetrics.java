package dev.weir.core.reduce.terms;

import dev.weir.core.reduce.terms.MetricType.NamedMetric;
import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.metrics.AvgAggregationBuilder;
import org.opensearch.search.aggregations.metrics.MaxAggregationBuilder;
import org.opensearch.search.aggregations.metrics.MinAggregationBuilder;
import org.opensearch.search.aggregations.metrics.StatsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.SumAggregationBuilder;
import org.opensearch.search.aggregations.metrics.ValueCountAggregationBuilder;

/**
 * The metrics in each bucket of one shard's terms. All buckets have metrics of the same names,
 * types and formats, so these are parsed once and compared as bytes in later buckets. The layout is
 * that of {@code InternalAggregations}. Immutable.
 */
final class BucketMetrics {
  /**
   * With more metrics the iteration order of OpenSearch's map depends on how often it was filled,
   * because it grows one call late.
   */
  private static final int MAX_METRICS = 12;

  private final List<NamedMetric> metrics;
  private final byte[][] prefixes;
  private final int[] offsets;
  private final int valueCount;

  private BucketMetrics(List<NamedMetric> metrics, byte[][] before) {
    this.metrics = metrics;
    this.prefixes = before;
    this.offsets = new int[metrics.size()];
    int sum = 0;
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = sum;
      sum += metrics.get(i).type().valueCount();
    }
    this.valueCount = sum;
  }

  /** Returns whether a bucket may have the aggregation here. */
  static boolean isSupported(AggregationBuilder aggregation) {
    return aggregation.getSubAggregations().isEmpty()
        && aggregation.getPipelineAggregations().isEmpty()
        && (aggregation instanceof AvgAggregationBuilder
            || aggregation instanceof SumAggregationBuilder
            || aggregation instanceof MinAggregationBuilder
            || aggregation instanceof MaxAggregationBuilder
            || aggregation instanceof StatsAggregationBuilder
            || aggregation instanceof ValueCountAggregationBuilder);
  }

  /**
   * Reads the common layout from a first bucket and restores the position of the input.
   *
   * @throws IOException if a metric has an unsupported type
   */
  static BucketMetrics readFirst(AggregationBytes window, FrameStreamInput in) throws IOException {
    int began = in.position();
    int from = began;
    int count = in.readVInt();
    if (count < 0 || count > MAX_METRICS) {
      throw new IOException("got " + count + " metrics (expected: at most " + MAX_METRICS + ")");
    }
    long[] figures = new long[MetricType.MAX_VALUES];
    List<NamedMetric> metrics = new ArrayList<>();
    List<byte[]> before = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      NamedMetric metric = NamedMetric.read(in);
      before.add(window.copy(from, in.position()));
      metric.type().read(in, figures, 0);
      from = in.position();
      metrics.add(metric);
    }
    if (count == 0) {
      before.add(window.copy(from, in.position()));
    }
    window.seek(in, began);
    return new BucketMetrics(metrics, before.toArray(byte[][]::new));
  }

  /** Returns the number of values of one bucket. */
  int valueCount() {
    return valueCount;
  }

  /** Returns whether another shard's buckets have the same layout. */
  boolean isSameLayout(BucketMetrics other) {
    return Arrays.deepEquals(prefixes, other.prefixes);
  }

  /**
   * Reads the values of the next bucket.
   *
   * @throws IOException if its metrics differ from the first bucket's
   */
  void read(AggregationBytes window, FrameStreamInput in, long[] into, int from)
      throws IOException {
    for (int i = 0; i < prefixes.length; i++) {
      window.skipExpected(in, prefixes[i]);
      if (i < offsets.length) {
        metrics.get(i).type().read(in, into, from + offsets[i]);
      }
    }
  }

  /** Merges the values of one key from several shards. */
  void merge(long[] parts, int count, long[] into, int from) {
    for (int i = 0; i < offsets.length; i++) {
      MetricType.ShardValues own = new MetricType.ShardValues(parts, offsets[i], valueCount, count);
      metrics.get(i).type().merge(own, into, from + offsets[i]);
    }
  }

  /**
   * Returns the metrics in the order in which a bucket of the response has them: that of
   * OpenSearch's map by name.
   */
  List<MetricSlot> slots() {
    Map<String, MetricSlot> byName = new HashMap<>();
    for (int i = 0; i < offsets.length; i++) {
      MetricSlot placed = new MetricSlot(metrics.get(i), offsets[i]);
      byName.computeIfAbsent(
          placed.metric.name(), name -> placed); // put() would change the iteration order
    }
    return List.copyOf(byName.values());
  }

  /** A metric and the offset of its values among those of a bucket. */
  record MetricSlot(NamedMetric metric, int offset) {}
}
