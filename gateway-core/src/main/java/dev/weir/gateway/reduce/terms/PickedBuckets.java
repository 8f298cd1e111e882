package dev.weir.gateway.reduce.terms;

import dev.weir.gateway.reduce.json.PlainJson;
import dev.weir.gateway.reduce.terms.BucketMetrics.Placed;
import dev.weir.model.ReplyBody;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;
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

  /** The buckets as JSON, with commas in between; null where they have more than plain figures. */
  public @Nullable ReplyBody text() {
    List<byte[]> names = new ArrayList<>(metrics.size());
    boolean plain = format.equals(DocValueFormat.RAW);
    for (Placed placed : metrics) {
      MetricType.Named metric = placed.metric();
      plain &= metric.format().equals(DocValueFormat.RAW) && metric.metadata() == null;
      plain &= PlainJson.isPlain(metric.name());
      if (plain) {
        names.add(PlainJson.ascii(",\"" + metric.name() + "\":{"));
      }
    }
    return plain ? BucketText.of(new Plain(names)) : null;
  }

  /** Writes them where all is plain. */
  private final class Plain implements BucketText.Buckets {
    private final List<byte[]> names;

    Plain(List<byte[]> names) {
      this.names = names;
    }

    @Override
    public int count() {
      return counts.length;
    }

    @Override
    public void write(int bucket, PlainJson json) {
      json.putPlain("{\"key\":");
      keys.write(bucket, json);
      json.putPlain(",\"doc_count\":");
      json.put(counts[bucket]);
      for (int i = 0; i < names.size(); i++) {
        Placed placed = metrics.get(i);
        json.put(names.get(i));
        placed.metric().type().write(json, figures, bucket * stride + placed.at());
        json.put('}');
      }
      json.put('}');
    }
  }
}
