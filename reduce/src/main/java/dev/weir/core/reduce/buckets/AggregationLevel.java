package dev.weir.core.reduce.buckets;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.InternalSingleBucketAggregation;
import org.opensearch.search.aggregations.bucket.filter.FilterAggregationBuilder;
import org.opensearch.search.aggregations.bucket.global.GlobalAggregationBuilder;
import org.opensearch.search.aggregations.bucket.missing.MissingAggregationBuilder;
import org.opensearch.search.aggregations.bucket.nested.NestedAggregationBuilder;
import org.opensearch.search.aggregations.bucket.nested.ReverseNestedAggregationBuilder;
import org.opensearch.search.aggregations.bucket.sampler.InternalSampler;

/**
 * Reduces the aggregations that lie beside each other in the shards' results, one after the other:
 * histograms bucket by bucket, aggregations of a single bucket level by level, others as objects.
 */
final class AggregationLevel {
  /** Types on the wire whose layout is that of {@code InternalSingleBucketAggregation}. */
  private static final Set<String> SINGLE_BUCKETS =
      Set.of(
          FilterAggregationBuilder.NAME,
          GlobalAggregationBuilder.NAME,
          MissingAggregationBuilder.NAME,
          NestedAggregationBuilder.NAME,
          ReverseNestedAggregationBuilder.NAME,
          InternalSampler.NAME);

  /** The least bytes of an aggregation: its type and name. */
  static final int MIN_AGGREGATION_BYTES = 2;

  private final BucketReduction reduction;

  AggregationLevel(BucketReduction reduction) {
    this.reduction = reduction;
  }

  /**
   * Reduces the aggregations that are next in the shards' results.
   *
   * @param shards at least one
   */
  InternalAggregations reduce(List<ShardResult> shards) throws IOException {
    int count = -1;
    for (ShardResult shard : shards) {
      int own = shard.readCount(MIN_AGGREGATION_BYTES);
      if (count >= 0 && own != count) {
        throw new UnsupportedShardResultsException("got shards with different aggregations");
      }
      count = own;
    }
    List<InternalAggregation> reduced = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      reduced.add(reduceNext(shards));
    }
    return InternalAggregations.from(inOrderOfNames(reduced, shards.size()));
  }

  /** Sorts aggregations as in a response: by OpenSearch's map of names. */
  private static List<InternalAggregation> inOrderOfNames(
      List<InternalAggregation> reduced, int shards) throws IOException {
    Map<String, InternalAggregation> byName = new HashMap<>();
    // repeatedly: the map grows one call late, and only its size determines its order
    for (int pass = 0; pass < Math.min(2, shards); pass++) {
      for (InternalAggregation one : reduced) {
        byName.computeIfAbsent(one.getName(), name -> one);
      }
    }
    if (byName.size() != reduced.size()) {
      throw new UnsupportedShardResultsException("got a name twice (expected: once)");
    }
    return List.copyOf(byName.values());
  }

  private InternalAggregation reduceNext(List<ShardResult> shards) throws IOException {
    String type = shards.getFirst().peekType();
    boolean alike = true;
    for (ShardResult shard : shards) {
      alike &= shard.peekType().equals(type);
    }
    if (alike && KeyType.isHistogram(type)) {
      return reduceHistogram(shards, type);
    }
    if (alike && SINGLE_BUCKETS.contains(type)) {
      return reduceSingleBucket(shards);
    }
    return reduceObjects(shards);
  }

  private InternalAggregation reduceHistogram(List<ShardResult> shards, String type)
      throws IOException {
    int[] starts = new int[shards.size()];
    List<HistogramCursor> cursors = new ArrayList<>(shards.size());
    for (ShardResult shard : shards) {
      starts[cursors.size()] = shard.input().position();
      shard.input().readString(); // type
      cursors.add(new HistogramCursor(shard, type));
    }
    if (!reduction.plan().readsHistogram(cursors.getFirst().head().getName())) {
      return HistogramMerge.reduce(cursors, reduction);
    }
    for (int i = 0; i < starts.length; i++) {
      shards.get(i).seek(starts[i]);
    }
    return reduceObjects(shards);
  }

  private InternalAggregation reduceObjects(List<ShardResult> shards) throws IOException {
    reduction.workspace().startBucket();
    List<InternalAggregations> parts = new ArrayList<>(shards.size());
    for (ShardResult shard : shards) {
      reduction.throwIfCancelled();
      parts.add(
          InternalAggregations.from(
              List.of(shard.objectInput().readNamedWriteable(InternalAggregation.class))));
      reduction.workspace().reserveObjects();
    }
    InternalAggregations reduced = reduceParts(parts);
    reduction.workspace().retainResult(shards.size());
    return (InternalAggregation) reduced.asList().getFirst();
  }

  private InternalAggregation reduceSingleBucket(List<ShardResult> shards) throws IOException {
    List<InternalAggregations> heads = new ArrayList<>(shards.size());
    for (ShardResult shard : shards) {
      String type = shard.input().readString();
      int start = shard.input().position();
      shard.input().readString(); // name
      shard.input().readMap(); // metadata
      shard.input().readVLong(); // documents
      heads.add(InternalAggregations.from(List.of(shard.readHead(type, start))));
    }
    Aggregation head = reduceParts(heads).asList().getFirst();
    InternalAggregations below = reduce(shards);
    return ((InternalSingleBucketAggregation) head).create(below);
  }

  /** Reduces aggregations of one name. */
  private InternalAggregations reduceParts(List<InternalAggregations> parts) throws IOException {
    InternalAggregations reduced = InternalAggregations.reduce(parts, reduction.context());
    if (reduced.asList().size() != 1) {
      throw new UnsupportedShardResultsException("got several names (expected: one)");
    }
    return reduced;
  }
}
