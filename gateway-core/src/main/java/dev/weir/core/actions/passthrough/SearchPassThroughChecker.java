package dev.weir.core.actions.passthrough;

import dev.weir.cluster.ClusterView;
import dev.weir.model.PassThroughException;
import dev.weir.rest.PassThroughReasons;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.core.index.Index;
import org.opensearch.index.IndexSettings;
import org.opensearch.search.SearchService;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.metrics.MedianAbsoluteDeviationAggregationBuilder;
import org.opensearch.search.aggregations.metrics.PercentileRanksAggregationBuilder;
import org.opensearch.search.aggregations.metrics.PercentilesAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.pipeline.SearchPipelineService;

/** Finds the searches that only a node can answer correctly. */
public final class SearchPassThroughChecker {
  private static final Set<String> DIGEST_AGGREGATIONS =
      Set.of(
          PercentilesAggregationBuilder.NAME,
          PercentileRanksAggregationBuilder.NAME,
          MedianAbsoluteDeviationAggregationBuilder.NAME);

  /** Each is compared with the name of every index. */
  private static final int MAX_NAME_PATTERNS = 256;

  private static final int MAX_INDEX_BOOSTS = 256;

  /** Searches for inner hits: one for each collapsed hit and each definition of inner hits. */
  private static final int MAX_INNER_SEARCHES = 10_000;

  private SearchPassThroughChecker() {}

  /**
   * Checks the request alone.
   *
   * @throws PassThroughException when a node must answer
   */
  public static void check(SearchRequest request) {
    String reason = reason(request);
    if (reason != null) {
      throw new PassThroughException(reason);
    }
  }

  /** Returns why a node must answer, by the request alone; null if it need not. */
  public static @Nullable String reason(SearchRequest request) {
    SearchSourceBuilder source = request.source();
    boolean named =
        request.pipeline() != null
            && !SearchPipelineService.NOOP_PIPELINE_ID.equals(request.pipeline());
    boolean inBody =
        source != null && (source.searchPipelineSource() != null || source.verbosePipeline());
    if (named || inBody) {
      return PassThroughReasons.SEARCH_PIPELINE;
    }
    if (source != null && ReduceScriptDetector.hasScript(source.aggregations())) {
      return PassThroughReasons.SCRIPT;
    }
    if (isOfOtherCluster(request.indices())) {
      return PassThroughReasons.CROSS_CLUSTER;
    }
    return hasTooManyPatterns(request.indices())
            || hasTooManyBoosts(source)
            || hasTooManyInnerSearches(source)
        ? PassThroughReasons.COSTLY_BODY
        : null;
  }

  private static boolean hasTooManyPatterns(String @Nullable [] indices) {
    if (indices == null || indices.length <= MAX_NAME_PATTERNS) {
      return false;
    }
    int patterns = 0;
    for (String index : indices) {
      if (index != null && index.indexOf('*') >= 0) {
        patterns++;
      }
    }
    return patterns > MAX_NAME_PATTERNS;
  }

  private static boolean hasTooManyBoosts(@Nullable SearchSourceBuilder source) {
    if (source == null
        || source.indexBoosts() == null
        || source.indexBoosts().size() <= MAX_INDEX_BOOSTS) {
      return false;
    }
    return source.indexBoosts().stream()
            .map(SearchSourceBuilder.IndexBoost::getIndex)
            .distinct()
            .count()
        > MAX_INDEX_BOOSTS;
  }

  private static boolean hasTooManyInnerSearches(@Nullable SearchSourceBuilder source) {
    if (source == null || source.collapse() == null) {
      return false;
    }
    long hits = source.size() < 0 ? SearchService.DEFAULT_SIZE : source.size();
    return hits * source.collapse().getInnerHits().size() > MAX_INNER_SEARCHES;
  }

  /** Whether an index name is one of another cluster. */
  private static boolean isOfOtherCluster(String @Nullable [] indices) {
    if (indices != null) {
      for (String index : indices) {
        if (index != null && index.indexOf(':') >= 0) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether a t-digest is interpolated; its library does that differently since OpenSearch 3.0. */
  private static boolean hasDigest(Collection<AggregationBuilder> aggregations) {
    return aggregations.stream()
        .anyMatch(aggregation ->
            DIGEST_AGGREGATIONS.contains(aggregation.getType())
                || hasDigest(aggregation.getSubAggregations()));
  }

  /** Checks the indices that the request goes to, and the cluster's settings. */
  public static void check(SearchRequest request, ClusterView view, List<Index> indices) {
    if (view.settings().search().features().generatedPipelines()) {
      throw new PassThroughException(PassThroughReasons.SEARCH_PIPELINE);
    }
    if (view.state().nodes().getMinNodeVersion().before(Version.V_3_0_0)
        && request.source() != null
        && request.source().aggregations() != null
        && hasDigest(request.source().aggregations().getAggregatorFactories())) {
      throw new PassThroughException(PassThroughReasons.OLD_PERCENTILES);
    }
    if (request.pipeline() != null || request.indices() == null || request.indices().length == 0) {
      return; // default pipelines apply only where the request names indices
    }
    for (Index index : indices) {
      IndexMetadata metadata = view.state().metadata().index(index);
      if (metadata == null) {
        continue;
      }
      String pipeline = metadata.getSettings().get(IndexSettings.DEFAULT_SEARCH_PIPELINE.getKey());
      if (pipeline != null && !SearchPipelineService.NOOP_PIPELINE_ID.equals(pipeline)) {
        throw new PassThroughException(PassThroughReasons.SEARCH_PIPELINE);
      }
    }
  }
}
