package dev.weir.cluster.read;

import java.util.Map;
import java.util.Set;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.settings.Settings;

/**
 * Metadata with those customs that the gateway knows. Confined to one thread.
 *
 * @see StateDecoder#readKnownMetadata
 */
public final class KnownMetadata {
  private final ClusterState header;
  private final MetadataBuilder.MetadataParts parts;
  private final Set<String> unknown;

  KnownMetadata(ClusterState header, MetadataBuilder.MetadataParts parts, Set<String> unknown) {
    this.header = header;
    this.parts = parts;
    this.unknown = unknown;
  }

  MetadataBuilder.MetadataParts parts() {
    return parts;
  }

  /** Returns a state with the name, version and uuid of the one that was read, and nothing else. */
  public ClusterState header() {
    return header;
  }

  /** Returns the settings of the cluster. */
  public Settings settings() {
    return Settings.builder()
        .put(parts.header().persistents())
        .put(parts.header().transients())
        .build();
  }

  /** Returns whether there is an index with this name. */
  public boolean hasIndex(String name) {
    return parts.indices().containsKey(name);
  }

  /** Returns the customs by name; callers add those that they read in other ways. */
  public Map<String, Metadata.Custom> customs() {
    return parts.customs();
  }

  /**
   * Returns the names of customs that could not be read, to which callers add; those after the
   * first one were not reached.
   */
  public Set<String> unknown() {
    return unknown;
  }
}
