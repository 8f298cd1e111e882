package dev.weir.core.reduce.buckets;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.InternalMultiBucketAggregation;
import org.opensearch.search.aggregations.InternalMultiBucketAggregation.InternalBucket;

/** Writes the buckets of one histogram as JSON, one at a time. Used by one thread. */
final class BucketJsonWriter implements BucketSink {
  private static final int INITIAL_BUCKETS = 16;

  private final BucketReduction reduction;
  private final boolean isKeyed;
  private final JsonPages pages;
  private final XContentBuilder json;
  private int[] ends = new int[INITIAL_BUCKETS];
  private int count;

  /** The number of buckets within the buckets. */
  private int innerBuckets;

  /**
   * Creates a writer.
   *
   * @param keyed whether the buckets are an object's fields
   */
  BucketJsonWriter(BucketReduction reduction, boolean keyed) throws IOException {
    this.reduction = reduction;
    this.isKeyed = keyed;
    this.pages = new JsonPages(reduction.workspace());
    this.json = new XContentBuilder(JsonXContent.jsonXContent, pages);
    if (keyed) {
      json.startObject();
    } else {
      json.startArray();
    }
  }

  @Override
  public int add(InternalBucket bucket) throws IOException {
    reduction.measure((InternalAggregations) bucket.getAggregations());
    return addGap(bucket);
  }

  @Override
  public int addGap(InternalBucket bucket) throws IOException {
    innerBuckets += InternalMultiBucketAggregation.countInnerBucket(bucket);
    bucket.toXContent(json, reduction.params());
    json.flush();
    if (count == ends.length) {
      reduction.workspace().reserve((long) Integer.BYTES * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    ends[count] = pages.length();
    return count++;
  }

  @Override
  public void endBucket(int parts, long resultBytes) {
    reduction.workspace().discardResults(resultBytes);
    reduction.workspace().startBucket();
  }

  @Override
  public InternalAggregation finish(InternalAggregation reduced, int @Nullable [] order)
      throws IOException {
    if (isKeyed) {
      json.endObject();
    } else {
      json.endArray();
    }
    json.close();
    pages.trim();
    RenderedBuckets buckets = new RenderedBuckets(pages, ends, count, order, isKeyed);
    return new RenderedHistogram(reduced, buckets, count + innerBuckets);
  }
}
