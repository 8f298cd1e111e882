package dev.weir.responses.trim;

import dev.weir.cluster.MappingCache;
import java.util.List;
import java.util.Map;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.core.index.Index;
import org.opensearch.index.mapper.SourceFieldMapper;

/**
 * Caches which indices store their documents, by the {@code _source} setting of their mappings.
 * Safe on any thread.
 */
final class SourceEnabledIndices {
  private static final String ENABLED = "enabled";

  private final MappingCache<Boolean> enabledByMapping =
      new MappingCache<>(SourceEnabledIndices::readSourceEnabled, value -> 0);

  /**
   * Returns true if all of these indices store documents; an unknown index counts as one that does.
   */
  boolean isSourceEnabled(Metadata metadata, List<Index> indices) {
    for (Index index : indices) {
      IndexMetadata found = metadata.index(index);
      MappingMetadata mapping = found == null ? null : found.mapping();
      if (mapping != null && !enabledByMapping.get(mapping)) {
        return false;
      }
    }
    return true;
  }

  private static boolean readSourceEnabled(MappingMetadata mapping) {
    return !(mapping.sourceAsMap().get(SourceFieldMapper.NAME) instanceof Map<?, ?> source)
        || source.get(ENABLED) == null
        || Boolean.parseBoolean(String.valueOf(source.get(ENABLED)));
  }
}
