package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.memory.ReductionWorkspace;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalMultiBucketAggregation.InternalBucket;

/** Keeps finished buckets as objects, for pipeline aggregations that read them. */
final class BucketList implements BucketSink {
  private final ReductionWorkspace workspace;
  private final List<InternalBucket> buckets = new ArrayList<>();

  BucketList(ReductionWorkspace workspace) {
    this.workspace = workspace;
  }

  @Override
  public int add(InternalBucket bucket) {
    buckets.add(bucket);
    return buckets.size() - 1;
  }

  @Override
  public int addGap(InternalBucket bucket) {
    return add(bucket);
  }

  @Override
  public void endBucket(int parts, long resultBytes) {
    workspace.retainResult(parts);
  }

  @Override
  public InternalAggregation finish(InternalAggregation reduced, int @Nullable [] order) {
    workspace.reserve(HistogramMerge.BUCKET_OBJECT_BYTES * buckets.size());
    if (order == null) {
      return HistogramMerge.withBuckets(reduced, buckets);
    }
    List<InternalBucket> ordered = new ArrayList<>(order.length);
    for (int number : order) {
      ordered.add(buckets.get(number));
    }
    return HistogramMerge.withBuckets(reduced, ordered);
  }
}
