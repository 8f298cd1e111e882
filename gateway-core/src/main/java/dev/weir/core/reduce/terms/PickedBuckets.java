package dev.weir.core.reduce.terms;

import dev.weir.core.reduce.json.PlainJson;
import dev.weir.core.reduce.terms.BucketMetrics.Placed;
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
 * The buckets of an answer as numbers, which become objects one by one when they are looked at, or
 * text without being objects. Immutable.
 */
public final class PickedBuckets extends AbstractList<InternalTerms.Bucket<?>>
    implements RandomAccess {
  private static final int PIECE = 32 << 10;
  private static final int ROOM = 256;

  private final TermKeys keys;
  private final DocValueFormat format;
  private final long[] counts;
  private final List<Placed> metrics;
  private final long[] figures;
  private final int stride;

  /**
   * Puts them together.
   *
   * @param metrics that each has
   * @param figures {@code stride} of each, one bucket after the other
   */
  PickedBuckets(
      TermKeys keys,
      DocValueFormat format,
      long[] counts,
      List<Placed> metrics,
      long[] figures,
      int stride) {
    this.keys = keys;
    this.format = format;
    this.counts = counts;
    this.metrics = metrics;
    this.figures = figures;
    this.stride = stride;
  }

  @Override
  public int size() {
    return counts.length;
  }

  @Override
  public InternalTerms.Bucket<?> get(int index) {
    return keys.bucket(index, counts[index], aggregations(index), format);
  }

  private InternalAggregations aggregations(int index) {
    if (metrics.isEmpty()) {
      return InternalAggregations.EMPTY;
    }
    List<InternalAggregation> made = new ArrayList<>(metrics.size());
    for (int i = 0; i < metrics.size(); i++) {
      Placed placed = metrics.get(i);
      MetricType type = placed.metric().type();
      made.add(type.make(placed.metric(), figures, index * stride + placed.at()));
    }
    return InternalAggregations.from(made);
  }

  /** How many bytes of memory they take. */
  public long heapBytes() {
    return keys.heapBytes() + Long.BYTES * ((long) counts.length + figures.length);
  }

  /** Whether {@link #write} can write them: where they have nothing but plain figures. */
  public boolean isPlain() {
    boolean plain = format.equals(DocValueFormat.RAW);
    for (Placed placed : metrics) {
      MetricType.Named metric = placed.metric();
      plain &= metric.format().equals(DocValueFormat.RAW) && metric.metadata() == null;
      plain &= PlainJson.isPlain(metric.name());
    }
    return plain;
  }

  /** Writes plain ones as JSON, with commas in between, a piece at a time. */
  public void write(OutputStream out) throws IOException {
    byte[][] names = new byte[metrics.size()][];
    for (int i = 0; i < names.length; i++) {
      names[i] = PlainJson.ascii(",\"" + metrics.get(i).metric().name() + "\":{");
    }
    PlainJson json = new PlainJson((int) Math.min(PIECE, ROOM * (1L + counts.length)));
    for (int bucket = 0; bucket < counts.length; bucket++) {
      json.putPlain(bucket == 0 ? "{\"key\":" : ",{\"key\":");
      keys.write(bucket, json);
      json.putPlain(",\"doc_count\":");
      json.put(counts[bucket]);
      for (int i = 0; i < names.length; i++) {
        Placed placed = metrics.get(i);
        json.put(names[i]);
        placed.metric().type().write(json, figures, bucket * stride + placed.at());
        json.put('}');
      }
      json.put('}');
      if (json.length() > PIECE - ROOM) {
        json.drainTo(out);
      }
    }
    json.drainTo(out);
  }
}
