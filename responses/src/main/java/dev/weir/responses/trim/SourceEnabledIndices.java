package dev.weir.responses.trim;

import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.compress.CompressedXContent;
import org.opensearch.core.index.Index;
import org.opensearch.index.mapper.SourceFieldMapper;

/**
 * Knows which indices keep their documents, by the {@code _source} of their mappings, each of which
 * is read once while the cluster has it. Safe on any thread.
 */
final class SourceEnabledIndices {
  private static final String ENABLED = "enabled";

  private final Map<CompressedXContent, Boolean> enabledByMapping = new WeakHashMap<>();

  /** Whether all of these indices do; one that is not known is taken for one that does. */
  boolean isSourceEnabled(Metadata metadata, List<Index> indices) {
    for (Index index : indices) {
      IndexMetadata found = metadata.index(index);
      MappingMetadata mapping = found == null ? null : found.mapping();
      if (mapping != null && !isSourceEnabledCached(mapping)) {
        return false;
      }
    }
    return true;
  }

  private boolean isSourceEnabledCached(MappingMetadata mapping) {
    synchronized (enabledByMapping) {
      Boolean kept = enabledByMapping.get(mapping.source());
      if (kept != null) {
        return kept;
      }
    }
    boolean kept = readSourceEnabled(mapping);
    synchronized (enabledByMapping) {
      enabledByMapping.put(mapping.source(), kept);
    }
    return kept;
  }

  private static boolean readSourceEnabled(MappingMetadata mapping) {
    return !(mapping.sourceAsMap().get(SourceFieldMapper.NAME) instanceof Map<?, ?> source)
        || source.get(ENABLED) == null
        || Boolean.parseBoolean(String.valueOf(source.get(ENABLED)));
  }
}
