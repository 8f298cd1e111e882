package dev.weir.responses.columnar;

import dev.weir.cluster.ClusterViewSource;
import dev.weir.cluster.MappingCache;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;

/** Caches the mapped fields of indices by index name. Safe on any thread. */
final class MappedFieldsCache {
  private static final int FIELD_BYTES = 150;

  private final ClusterViewSource views;
  private final MappingCache<MappedFields> fieldsByMapping =
      new MappingCache<>(MappedFields::from, fields -> fields.size() * FIELD_BYTES);

  MappedFieldsCache(ClusterViewSource views) {
    this.views = views;
  }

  /** Returns the fields of an index; no fields if the cluster view lacks the index. */
  MappedFields fieldsOf(String index) {
    IndexMetadata metadata = views.current().state().metadata().index(index);
    MappingMetadata mapping = metadata == null ? null : metadata.mapping();
    return mapping == null ? MappedFields.NONE : fieldsByMapping.get(mapping);
  }
}
