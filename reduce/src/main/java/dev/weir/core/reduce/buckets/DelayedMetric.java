package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.memory.ReductionWorkspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;

/**
 * A shard's digest or sketch as bytes. The reduction of a bucket's parts creates their objects, and
 * keeps only the values that the response shows.
 */
final class DelayedMetric extends DelayedAggregation {
  private final boolean isFinal;

  /**
   * Creates a metric.
   *
   * @param isFinal whether a bucket is reduced only once
   */
  DelayedMetric(String name, ShardResult shard, Extent extent, boolean isFinal) {
    super(name, shard, extent);
    this.isFinal = isFinal;
  }

  @Override
  public InternalAggregation reduce(List<InternalAggregation> parts, ReduceContext context) {
    ReductionWorkspace workspace = reduction().workspace();
    try (ReductionWorkspace.Scope _ = workspace.openScope()) {
      List<InternalAggregations> objects = new ArrayList<>(parts.size());
      for (InternalAggregation part : parts) {
        objects.add(InternalAggregations.from(List.of(sameType(part).readObject())));
        workspace.reserveObjects();
      }
      InternalAggregations reduced = InternalAggregations.reduce(objects, context);
      InternalAggregation result = (InternalAggregation) reduced.asList().getFirst();
      if (!isFinal || reduction().plan().readsMetric(getName())) {
        retainObject(result, parts.size());
        return result;
      }
      return retainValues(reduced, result, parts.size());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void retainObject(InternalAggregation result, int parts) {
    long bytes = MetricValues.objectBytes(result);
    if (bytes < 0) {
      reduction().workspace().retainResult(parts);
    } else {
      reduction().workspace().reserveObjects();
      reduction().workspace().retainBytes(bytes);
    }
  }

  private InternalAggregation retainValues(
      InternalAggregations reduced, InternalAggregation result, int parts) {
    reduction().measure(reduced);
    InternalAggregation values = MetricValues.of(result);
    if (values == null) {
      retainObject(result, parts);
      return result;
    }
    reduction().workspace().reserveObjects();
    reduction().workspace().retainBytes(MetricValues.heapBytes(values));
    return values;
  }
}
