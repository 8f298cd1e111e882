package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.terms.AggregationBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchException;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.search.aggregations.AggregationExecutionException;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.MultiBucketConsumerService.TooManyBucketsException;
import org.opensearch.search.aggregations.pipeline.PipelineAggregator;
import org.opensearch.search.aggregations.pipeline.PipelineAggregator.PipelineTree;
import org.opensearch.search.aggregations.pipeline.SiblingPipelineAggregator;

/**
 * The final reduction of a search whose aggregations contain a histogram, or metrics that take much
 * memory, bucket by bucket from the shards' bytes. The written response equals that of OpenSearch's
 * reduction of objects.
 */
public final class BucketwiseReducer {
  private BucketwiseReducer() {}

  /**
   * Reduces the aggregations.
   *
   * @param shards one per shard that has aggregations, at least one
   * @return aggregations that can be written as content and nothing else; null if the shards'
   *     results have to be reduced as objects
   */
  public static @Nullable InternalAggregations reduce(
      List<AggregationBytes> shards, BucketReduction reduction) {
    List<ShardResult> results = new ArrayList<>(shards.size());
    for (AggregationBytes shard : shards) {
      results.add(new ShardResult(shard, reduction, DelayingRegistry::new));
    }
    try {
      InternalAggregations reduced = new AggregationLevel(reduction).reduce(results);
      InternalAggregations finished = reducePipelines(reduced, reduction);
      reduction.measure(finished);
      return finished;
    } catch (UnsupportedShardResultsException unsupported) {
      return null; // the reduction of objects reports the error, if any
    } catch (ClassCastException | UnsupportedOperationException different) {
      return null; // for example shards with different types; the same holds
    } catch (IOException malformed) {
      throw malformed(malformed);
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof UnsupportedShardResultsException) {
        return null;
      }
      throw malformed(e);
    } catch (OpenSearchException refused) {
      throw refused; // for example too many buckets, or too little memory
    } catch (RuntimeException malformed) {
      throw malformed(malformed);
    }
  }

  private static AggregationExecutionException malformed(Exception cause) {
    return new AggregationExecutionException(
        "got aggregations from a shard that can't be read: " + cause.getMessage(), cause);
  }

  /** Does what OpenSearch does with pipeline aggregations after the reduction. */
  private static InternalAggregations reducePipelines(
      InternalAggregations reduced, BucketReduction reduction)
      throws UnsupportedShardResultsException {
    if (!reduction.plan().hasPipelines()) {
      return reduced;
    }
    ReduceContext context = reduction.context();
    PipelineTree pipelines = context.pipelineTreeRoot();
    reduction.workspace().startBucket();
    try {
      List<InternalAggregation> finished = new ArrayList<>();
      for (InternalAggregation one : reduced.copyResults()) {
        finished.add(one.reducePipelines(one, context, pipelines.subTree(one.getName())));
      }
      for (PipelineAggregator pipeline : pipelines.aggregators()) {
        finished.add(
            ((SiblingPipelineAggregator) pipeline)
                .doReduce(InternalAggregations.from(finished), context));
      }
      reduction.workspace().reserveObjects();
      return InternalAggregations.from(finished);
    } catch (CircuitBreakingException | TooManyBucketsException | TaskCancelledException refused) {
      throw refused;
    } catch (RuntimeException unsupported) {
      throw new UnsupportedShardResultsException("got a pipeline that fails: " + unsupported);
    }
  }
}
