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
 * Knows which indices keep their documents, by the {@code _source} of their mappings. Safe on any
 * thread.
 */
final class SourceEnabledIndices {
  private static final String ENABLED = "enabled";

  private final MappingCache<Boolean> enabledByMapping =
      new MappingCache<>(SourceEnabledIndices::readSourceEnabled, value -> 0);

  /** Whether all of these indices do; one that is not known is taken for one that does. */
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
