package dev.weir.core.actions.passthrough;

import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregatorFactories;
import org.opensearch.search.aggregations.PipelineAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.SignificantTermsAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.SignificantTextAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.heuristic.ScriptHeuristic;
import org.opensearch.search.aggregations.metrics.ScriptedMetricAggregationBuilder;
import org.opensearch.search.aggregations.pipeline.BucketScriptPipelineAggregationBuilder;
import org.opensearch.search.aggregations.pipeline.BucketSelectorPipelineAggregationBuilder;
import org.opensearch.search.aggregations.pipeline.MovFnPipelineAggregationBuilder;

/**
 * Finds the aggregations that run a script where shards' results are merged: all callers of {@code
 * ReduceContext.scriptService()} in OpenSearch. Scripts that run on shards concern their nodes
 * alone.
 */
final class ReduceScriptDetector {
  private static final Set<String> SCRIPTED_PIPELINES =
      Set.of(
          BucketScriptPipelineAggregationBuilder.NAME,
          BucketSelectorPipelineAggregationBuilder.NAME,
          MovFnPipelineAggregationBuilder.NAME);

  private ReduceScriptDetector() {}

  /** Returns whether the reduction of a search's aggregations would run a script. */
  static boolean hasScript(AggregatorFactories.@Nullable Builder aggregations) {
    return aggregations != null
        && hasScript(
            aggregations.getAggregatorFactories(), aggregations.getPipelineAggregatorFactories());
  }

  private static boolean hasScript(
      Collection<AggregationBuilder> aggregations,
      Collection<PipelineAggregationBuilder> pipelines) {
    for (PipelineAggregationBuilder pipeline : pipelines) {
      if (SCRIPTED_PIPELINES.contains(pipeline.getType())) {
        return true;
      }
    }
    for (AggregationBuilder aggregation : aggregations) {
      if (isScripted(aggregation)
          || hasScript(aggregation.getSubAggregations(), aggregation.getPipelineAggregations())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isScripted(AggregationBuilder aggregation) {
    return switch (aggregation) {
      case ScriptedMetricAggregationBuilder _ -> true;
      case SignificantTermsAggregationBuilder terms ->
          terms.significanceHeuristic() instanceof ScriptHeuristic;
      case SignificantTextAggregationBuilder text ->
          text.significanceHeuristic() instanceof ScriptHeuristic;
      default -> false;
    };
  }
}
