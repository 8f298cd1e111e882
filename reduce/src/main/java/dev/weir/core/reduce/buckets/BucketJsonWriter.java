package dev.weir.core.reduce.buckets;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;

/** Writes the buckets of one aggregation as JSON, one at a time. Used by one thread. */
final class BucketJsonWriter {
  private static final int INITIAL_BUCKETS = 16;

  private final BucketReduction reduction;
  private final boolean isKeyed;
  private final JsonPages pages;
  private final XContentBuilder json;
  private int[] ends = new int[INITIAL_BUCKETS];
  private int count;

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

  /** Writes a bucket and returns its number. */
  int add(ToXContent bucket) throws IOException {
    bucket.toXContent(json, reduction.params());
    json.flush();
    if (count == ends.length) {
      reduction.workspace().reserve((long) Integer.BYTES * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    ends[count] = pages.length();
    return count++;
  }

  /**
   * Returns the buckets; nothing is written after that.
   *
   * @param order the buckets of the response by number; null for all of them as they were added
   */
  RenderedBuckets finish(int @Nullable [] order) throws IOException {
    if (isKeyed) {
      json.endObject();
    } else {
      json.endArray();
    }
    json.close();
    return new RenderedBuckets(pages, ends, count, order, isKeyed);
  }
}
