package dev.weir.cluster;

import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.index.IndexSettings;
import org.opensearch.search.pipeline.SearchPipelineService;

/**
 * Whether searches of a cluster that name no search pipeline may run one: an index has a default
 * one, or nodes generate processors. Reading the settings of 10,000 indices takes milliseconds, so
 * it happens on first use, and once for all cluster states with the same settings of indices. Safe
 * on any thread.
 */
final class SearchPipelineUse {
  private final ClusterViewSettings settings;
  private volatile @Nullable Supplier<Collection<IndexMetadata>> indices;
  private volatile @Nullable Boolean possible;

  SearchPipelineUse(ClusterViewSettings settings, Supplier<Collection<IndexMetadata>> indices) {
    this.settings = settings;
    this.indices = indices;
  }

  boolean isPossible() {
    Supplier<Collection<IndexMetadata>> unread = indices; // before the result, which is set first
    Boolean known = possible;
    if (known == null && unread != null) {
      known =
          settings.search().features().generatedPipelines()
              || unread.get().stream().anyMatch(SearchPipelineUse::hasDefault);
      possible = known;
      indices = null; // later views share the result, and must not hold on to this state
    }
    return Boolean.TRUE.equals(known);
  }

  private static boolean hasDefault(IndexMetadata index) {
    String pipeline = index.getSettings().get(IndexSettings.DEFAULT_SEARCH_PIPELINE.getKey());
    return pipeline != null && !SearchPipelineService.NOOP_PIPELINE_ID.equals(pipeline);
  }
}
