package dev.weir.responses.columnar;

import dev.weir.cluster.ClusterViews;
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
final class IndexMappings {
  /** The most fields of mappings that are kept; some 15 MB. */
  static final int MOST_FIELDS = 100_000;

  private final ClusterViews views;
  private final Map<CompressedXContent, MappedFields> kept = new LinkedHashMap<>(64, 0.75f, true);
  private int fields;

  IndexMappings(ClusterViews views) {
    this.views = views;
  }

  /** The fields of an index by its name; none where the gateway does not know it. */
  MappedFields of(String index) {
    IndexMetadata metadata = views.current().state().metadata().index(index);
    MappingMetadata mapping = metadata == null ? null : metadata.mapping();
    if (mapping == null) {
      return MappedFields.NONE;
    }
    MappedFields known = known(mapping.source());
    if (known == null) {
      known = MappedFields.of(mapping);
      keep(mapping.source(), known);
    }
    return known;
  }

  private synchronized @Nullable MappedFields known(CompressedXContent key) {
    return kept.get(key);
  }

  private synchronized void keep(CompressedXContent key, MappedFields read) {
    if (kept.putIfAbsent(key, read) == null) {
      fields += 1 + read.size();
      Iterator<MappedFields> oldest = kept.values().iterator();
      while (fields > MOST_FIELDS && kept.size() > 1) {
        fields -= 1 + oldest.next().size();
        oldest.remove();
      }
    }
  }
}
