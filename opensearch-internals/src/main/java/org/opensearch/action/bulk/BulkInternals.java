package org.opensearch.action.bulk;

import org.jspecify.annotations.NullMarked;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.core.common.io.stream.Writeable;

/** Gives access to the package-private parts of OpenSearch's bulk classes. */
@NullMarked
public final class BulkInternals {
  private BulkInternals() {}

  /** Returns a reader of the response to a shard-level bulk. */
  public static Writeable.Reader<BulkShardResponse> shardResponseReader() {
    return BulkShardResponse::new;
  }

  /** Sets the version of the cluster state that a shard-level bulk was routed by. */
  public static void setClusterStateVersion(BulkShardRequest request, long clusterStateVersion) {
    request.routedBasedOnClusterVersion(clusterStateVersion);
  }

  /** Rejects an append to a data stream's backing index by the index's own name. */
  public static void prohibitAppendsToBackingIndex(DocWriteRequest<?> request, Metadata metadata) {
    TransportBulkAction.prohibitAppendWritesInBackingIndices(request, metadata);
  }

  /** Rejects a routing value on a data stream. */
  public static void prohibitRoutingOnDataStream(DocWriteRequest<?> request, Metadata metadata) {
    TransportBulkAction.prohibitCustomRoutingOnDataStream(request, metadata);
  }
}
