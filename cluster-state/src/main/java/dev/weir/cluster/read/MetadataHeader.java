package dev.weir.cluster.read;

import java.io.IOException;
import org.opensearch.cluster.coordination.CoordinationMetadata;
import org.opensearch.cluster.metadata.DiffableStringMap;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * The metadata of a cluster that comes before that of its indices, in the order of the wire.
 *
 * @param version of the metadata
 * @param clusterUuid of the cluster
 * @param isClusterUuidCommitted whether it is final
 * @param coordination with the term
 * @param transients transient settings
 * @param persistents persistent settings
 * @param hashes hashes of consistent settings
 */
record MetadataHeader(
    long version,
    String clusterUuid,
    boolean isClusterUuidCommitted,
    CoordinationMetadata coordination,
    Settings transients,
    Settings persistents,
    DiffableStringMap hashes) {
  static MetadataHeader readFrom(StreamInput in) throws IOException {
    return new MetadataHeader(
        in.readLong(),
        in.readString(),
        in.readBoolean(),
        new CoordinationMetadata(in),
        Settings.readSettingsFromStream(in),
        Settings.readSettingsFromStream(in),
        DiffableStringMap.readFrom(in));
  }

  /** Sets everything but indices, templates and customs. */
  void applyTo(Metadata.Builder metadata) {
    metadata
        .version(version)
        .clusterUUID(clusterUuid)
        .clusterUUIDCommitted(isClusterUuidCommitted)
        .coordinationMetadata(coordination)
        .transientSettings(transients)
        .persistentSettings(persistents)
        .hashesOfConsistentSettings(hashes);
  }
}
