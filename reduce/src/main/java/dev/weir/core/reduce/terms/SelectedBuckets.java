package dev.weir.core.reduce.terms;

import dev.weir.core.reduce.terms.BucketMetrics.MetricSlot;
import dev.weir.model.JsonBuffer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.RandomAccess;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;

/**
 * The buckets of a response as numbers. A bucket becomes an object on access; JSON is written
 * without objects. Immutable.
 */
public final class SelectedBuckets extends AbstractList<InternalTerms.Bucket<?>>
    implements RandomAccess {
  private static final int CHUNK_BYTES = 32 << 10;
  private static final int INITIAL_BYTES = 256;

  private final TermKeys keys;
  private final DocValueFormat format;
  private final long[] counts;
  private final List<MetricSlot> metrics;
  private final long[] metricValues;
  private final int stride;

  /**
   * Creates the buckets.
   *
   * @param metrics the metrics of each bucket
   * @param figures {@code stride} values per bucket, one bucket after the other
   */
  SelectedBuckets(
      TermKeys keys,
      DocValueFormat format,
      long[] counts,
      List<MetricSlot> metrics,
      long[] figures,
      int stride) {
    this.keys = keys;
    this.format = format;
    this.counts = counts;
    this.metrics = metrics;
    this.metricValues = figures;
    this.stride = stride;
  }

  @Override
  public int size() {
    return counts.length;
  }

  @Override
  public InternalTerms.Bucket<?> get(int index) {
    return keys.createBucket(index, counts[index], aggregations(index), format);
  }

  private InternalAggregations aggregations(int index) {
    if (metrics.isEmpty()) {
      return InternalAggregations.EMPTY;
    }
    List<InternalAggregation> made = new ArrayList<>(metrics.size());
    for (int i = 0; i < metrics.size(); i++) {
      MetricSlot placed = metrics.get(i);
      MetricType type = placed.metric().type();
      made.add(type.toAggregation(placed.metric(), metricValues, index * stride + placed.offset()));
    }
    return InternalAggregations.from(made);
  }

  /** Returns the heap bytes that the buckets take. */
  public long heapBytes() {
    return keys.heapBytes() + Long.BYTES * ((long) counts.length + metricValues.length);
  }

  /** Returns whether {@link #write} supports the buckets: they have only plain numbers. */
  public boolean isPlain() {
    boolean plain = format.equals(DocValueFormat.RAW);
    for (MetricSlot placed : metrics) {
      MetricType.NamedMetric metric = placed.metric();
      plain &= metric.format().equals(DocValueFormat.RAW) && metric.metadata() == null;
      plain &= JsonBuffer.isPlain(metric.name());
    }
    return plain;
  }

  /** Writes the buckets as comma-separated JSON, in pieces. */
  public void write(OutputStream out) throws IOException {
    byte[][] names = new byte[metrics.size()][];
    for (int i = 0; i < names.length; i++) {
      names[i] = JsonBuffer.toAscii(",\"" + metrics.get(i).metric().name() + "\":{");
    }
    JsonBuffer json =
        new JsonBuffer((int) Math.min(CHUNK_BYTES, INITIAL_BYTES * (1L + counts.length)));
    for (int bucket = 0; bucket < counts.length; bucket++) {
      json.writeAscii(bucket == 0 ? "{\"key\":" : ",{\"key\":");
      keys.write(bucket, json);
      json.writeAscii(",\"doc_count\":");
      json.writeNumber(counts[bucket]);
      for (int i = 0; i < names.length; i++) {
        MetricSlot placed = metrics.get(i);
        json.write(names[i]);
        placed.metric().type().write(json, metricValues, bucket * stride + placed.offset());
        json.write('}');
      }
      json.write('}');
      if (json.length() > CHUNK_BYTES - INITIAL_BYTES) {
        json.drainTo(out);
      }
    }
    json.drainTo(out);
  }
}
