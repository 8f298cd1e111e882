package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.memory.ReductionWorkspace;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.bucket.adjacency.AdjacencyMatrixAggregationBuilder;
import org.opensearch.search.aggregations.bucket.composite.CompositeAggregationBuilder;
import org.opensearch.search.aggregations.bucket.filter.FilterAggregationBuilder;
import org.opensearch.search.aggregations.bucket.filter.FiltersAggregationBuilder;
import org.opensearch.search.aggregations.bucket.global.GlobalAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.AutoDateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.VariableWidthHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.missing.MissingAggregationBuilder;
import org.opensearch.search.aggregations.bucket.nested.NestedAggregationBuilder;
import org.opensearch.search.aggregations.bucket.nested.ReverseNestedAggregationBuilder;
import org.opensearch.search.aggregations.bucket.range.DateRangeAggregationBuilder;
import org.opensearch.search.aggregations.bucket.range.IpRangeAggregationBuilder;
import org.opensearch.search.aggregations.bucket.range.RangeAggregationBuilder;
import org.opensearch.search.aggregations.bucket.sampler.InternalSampler;
import org.opensearch.search.aggregations.bucket.sampler.UnmappedSampler;
import org.opensearch.search.aggregations.bucket.terms.DoubleTerms;
import org.opensearch.search.aggregations.bucket.terms.LongRareTerms;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.MultiTermsAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.SignificantLongTerms;
import org.opensearch.search.aggregations.bucket.terms.SignificantStringTerms;
import org.opensearch.search.aggregations.bucket.terms.StringRareTerms;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import org.opensearch.search.aggregations.bucket.terms.UnsignedLongTerms;

/**
 * Reads the objects of one shard's result, but leaves aggregations that take much memory as bytes:
 * histograms, digests and sketches. The reduction of the aggregation around them then reduces one
 * bucket's at a time. Used by one thread.
 */
final class DelayingRegistry extends NamedWriteableRegistry {
  /** Types on the wire that reduce the contents of a bucket once and never look into them. */
  private static final Set<String> REDUCING_ONCE =
      Set.of(
          StringTerms.NAME,
          LongTerms.NAME,
          UnsignedLongTerms.NAME,
          DoubleTerms.NAME,
          MultiTermsAggregationBuilder.NAME,
          StringRareTerms.NAME,
          LongRareTerms.NAME,
          SignificantStringTerms.NAME,
          SignificantLongTerms.NAME,
          CompositeAggregationBuilder.NAME,
          FilterAggregationBuilder.NAME,
          FiltersAggregationBuilder.NAME,
          AdjacencyMatrixAggregationBuilder.NAME,
          RangeAggregationBuilder.NAME,
          DateRangeAggregationBuilder.NAME,
          IpRangeAggregationBuilder.NAME,
          GlobalAggregationBuilder.NAME,
          MissingAggregationBuilder.NAME,
          NestedAggregationBuilder.NAME,
          ReverseNestedAggregationBuilder.NAME,
          InternalSampler.NAME,
          UnmappedSampler.NAME,
          DateHistogramAggregationBuilder.NAME,
          HistogramAggregationBuilder.NAME);

  /** Types on the wire that merge buckets again that they have reduced. */
  private static final Set<String> REDUCING_AGAIN =
      Set.of(
          AutoDateHistogramAggregationBuilder.NAME, VariableWidthHistogramAggregationBuilder.NAME);

  /** A node's limit on nested JSON allows fewer levels of aggregations than this. */
  private static final int MAX_DEPTH = 500;

  private final NamedWriteableRegistry all;
  private final ShardResult shard;
  private Contents contents = Contents.REDUCED_ONCE;
  private int depth;

  /** What the aggregation that is being read does with the contents of its buckets. */
  private enum Contents {
    REDUCED_ONCE,
    REDUCED_AGAIN,

    /** An aggregation of a plugin may do anything. */
    UNKNOWN
  }

  /**
   * Creates a registry.
   *
   * @param all reads objects
   * @param shard the bytes that are read
   */
  DelayingRegistry(NamedWriteableRegistry all, ShardResult shard) {
    super(List.of());
    this.all = all;
    this.shard = shard;
  }

  @Override
  public <T> Writeable.Reader<? extends T> getReader(Class<T> category, String type) {
    Writeable.Reader<? extends T> reader = all.getReader(category, type);
    return category == InternalAggregation.class
        ? in -> category.cast(read(type, reader, in))
        : reader;
  }

  private Object read(String type, Writeable.Reader<?> reader, StreamInput in) throws IOException {
    DelayedMetricType metric = DelayedMetricType.of(type);
    if (metric != null) {
      return contents == Contents.UNKNOWN ? reader.read(in) : skip(metric, type);
    }
    if (depth == MAX_DEPTH) {
      throw new IOException("got deeper nested aggregations (expected: " + MAX_DEPTH + " levels)");
    }
    Contents outer = contents;
    depth++;
    try {
      if (KeyType.isHistogram(type) && outer == Contents.REDUCED_ONCE) {
        return readHistogram(type, reader, in);
      }
      contents = contentsOf(type, outer);
      return reader.read(in);
    } finally {
      depth--;
      contents = outer;
    }
  }

  private static Contents contentsOf(String type, Contents outer) {
    if (REDUCING_ONCE.contains(type)) {
      return outer;
    }
    return outer != Contents.UNKNOWN && REDUCING_AGAIN.contains(type)
        ? Contents.REDUCED_AGAIN
        : Contents.UNKNOWN;
  }

  private DelayedMetric skip(DelayedMetricType metric, String type) throws IOException {
    int from = shard.input().position();
    String name = shard.input().readString();
    metric.skip(shard);
    DelayedAggregation.Extent extent =
        new DelayedAggregation.Extent(type, from, shard.input().position());
    boolean isFinal = contents == Contents.REDUCED_ONCE;
    return new DelayedMetric(name, shard, extent, isFinal);
  }

  private Object readHistogram(String type, Writeable.Reader<?> reader, StreamInput in)
      throws IOException {
    int from = shard.input().position();
    String name = shard.input().readString();
    if (shard.reduction().plan().readsHistogram(name)) {
      shard.seek(from);
      return reader.read(in);
    }
    try (ReductionWorkspace.Scope _ = shard.reduction().workspace().openScope()) {
      HistogramCursor.skip(shard, type); // what it reads is garbage
    }
    return new DelayedHistogram(
        name, shard, new DelayedAggregation.Extent(type, from, shard.input().position()));
  }
}
