package dev.weir.responses.columnar;

import dev.weir.cluster.ClusterViewSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.common.compress.CompressedXContent;

/**
 * What the mappings of indices say, read when it is first asked for and kept while there is room,
 * once for all indices that have the same. Safe on any thread.
 */
final class MappedFieldsCache {
  /** The most fields of mappings that are kept; some 15 MB. */
  static final int MAX_FIELDS = 100_000;

  private final ClusterViewSource views;
  private final Map<CompressedXContent, MappedFields> fieldsByMapping =
      new LinkedHashMap<>(64, 0.75f, true);
  private int cachedFields;

  MappedFieldsCache(ClusterViewSource views) {
    this.views = views;
  }

  /** The fields of an index by its name; none where the gateway does not know it. */
  MappedFields fieldsOf(String index) {
    IndexMetadata metadata = views.current().state().metadata().index(index);
    MappingMetadata mapping = metadata == null ? null : metadata.mapping();
    if (mapping == null) {
      return MappedFields.NONE;
    }
    MappedFields known = getCached(mapping.source());
    if (known == null) {
      known = MappedFields.from(mapping);
      cache(mapping.source(), known);
    }
    return known;
  }

  private synchronized @Nullable MappedFields getCached(CompressedXContent key) {
    return fieldsByMapping.get(key);
  }

  private synchronized void cache(CompressedXContent key, MappedFields read) {
    if (fieldsByMapping.putIfAbsent(key, read) == null) {
      cachedFields += 1 + read.size();
      Iterator<MappedFields> oldest = fieldsByMapping.values().iterator();
      while (cachedFields > MAX_FIELDS && fieldsByMapping.size() > 1) {
        cachedFields -= 1 + oldest.next().size();
        oldest.remove();
      }
    }
  }
}
