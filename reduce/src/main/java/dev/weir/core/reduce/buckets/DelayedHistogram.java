package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.memory.ReductionWorkspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.opensearch.search.aggregations.InternalAggregation;

/** A shard's histogram within a bucket, as bytes; merged with those of other shards. */
final class DelayedHistogram extends DelayedAggregation {
  DelayedHistogram(String name, ShardResult shard, Extent extent) {
    super(name, shard, extent);
  }

  @Override
  public InternalAggregation reduce(List<InternalAggregation> parts, ReduceContext context) {
    try (ReductionWorkspace.Scope _ = reduction().workspace().openScope()) {
      List<HistogramCursor> cursors = new ArrayList<>(parts.size());
      for (InternalAggregation part : parts) {
        cursors.add(new HistogramCursor(open(part), getWriteableName()));
      }
      return HistogramMerge.reduce(cursors, reduction());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
