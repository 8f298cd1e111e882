package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.memory.ReductionWorkspace;
import java.util.function.BooleanSupplier;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;

/**
 * What one reduction works with.
 *
 * @param context OpenSearch's, of a final reduction
 * @param params the parameters by which the response is written
 * @param plan what the search says about the reduction
 * @param workspace accounts for the memory
 * @param changesDigests whether OpenSearch serializes the result before it writes the response.
 *     That compresses digests and changes percentiles in the third digit.
 * @param isCancelled whether nobody waits for the result any more
 */
public record BucketReduction(
    ReduceContext context,
    ToXContent.Params params,
    ReductionPlan plan,
    ReductionWorkspace workspace,
    boolean changesDigests,
    BooleanSupplier isCancelled) {

  /** Returns whether finished buckets are written as JSON at once, because nothing reads them. */
  boolean rendersBuckets() {
    return !plan.hasPipelines();
  }

  /** Does to a reduced result what OpenSearch does when it measures the result. */
  void measure(InternalAggregations reduced) {
    if (changesDigests) {
      reduced.getSerializedSize();
    }
  }

  void throwIfCancelled() {
    if (isCancelled.getAsBoolean()) {
      throw new TaskCancelledException("request has been terminated");
    }
  }
}
