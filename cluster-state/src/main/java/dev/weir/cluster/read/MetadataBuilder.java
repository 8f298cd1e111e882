package dev.weir.cluster.read;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexGraveyard;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.IndexTemplateMetadata;
import org.opensearch.cluster.metadata.Metadata;

/**
 * Builds OpenSearch's metadata from its decoded parts. If all parts equal those of the previous
 * metadata, it returns that object; if the indices do, OpenSearch takes over its lookup tables of
 * names. Confined to one thread.
 */
final class MetadataBuilder {
  private @Nullable MetadataParts previousParts;
  private @Nullable Metadata previous;

  /**
   * The parts of the metadata.
   *
   * @param header everything else
   * @param indices by name
   * @param templates by name
   * @param customs by name
   */
  record MetadataParts(
      MetadataHeader header,
      BucketedMap<IndexMetadata> indices,
      Map<String, IndexTemplateMetadata> templates,
      Map<String, Metadata.Custom> customs) {}

  Metadata build(MetadataParts parts) {
    Metadata before = previous;
    if (before != null && parts.equals(previousParts)) {
      return before;
    }
    Metadata built = build(before == null ? Metadata.builder() : Metadata.builder(before), parts);
    previousParts = parts;
    previous = built;
    return built;
  }

  private Metadata build(Metadata.Builder metadata, MetadataParts parts) {
    parts.header().applyTo(metadata);
    Metadata before = previous;
    if (before != null) {
      for (String index : before.indices().keySet()) {
        if (!parts.indices().containsKey(index)) {
          metadata.remove(index);
        }
      }
      before.templates().keySet().forEach(metadata::removeTemplate);
      before.customs().keySet().forEach(metadata::removeCustom);
      metadata.indexGraveyard(IndexGraveyard.builder().build()); // as in new metadata
    }
    return metadata
        .indices(parts.indices())
        .templates(parts.templates())
        .customs(parts.customs())
        .build();
  }
}
