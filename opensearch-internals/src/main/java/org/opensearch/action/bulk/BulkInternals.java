package org.opensearch.action.bulk;

import org.jspecify.annotations.NullMarked;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.core.common.io.stream.Writeable;

/** The way to what OpenSearch's bulk classes keep in their package. */
@NullMarked
public final class BulkInternals {
  private BulkInternals() {}

  /** Reads the answer to a shard-level bulk. */
  public static Writeable.Reader<BulkShardResponse> shardResponseReader() {
    return BulkShardResponse::new;
  }

  /** Says which cluster state a shard-level bulk was routed by. */
  public static void setClusterStateVersion(BulkShardRequest request, long clusterStateVersion) {
    request.routedBasedOnClusterVersion(clusterStateVersion);
  }

  /** Refuses appends to a backing index of a data stream by its own name. */
  public static void prohibitAppendsToBackingIndex(DocWriteRequest<?> request, Metadata metadata) {
    TransportBulkAction.prohibitAppendWritesInBackingIndices(request, metadata);
  }

  /** Refuses a routing value on a data stream. */
  public static void prohibitRoutingOnDataStream(DocWriteRequest<?> request, Metadata metadata) {
    TransportBulkAction.prohibitCustomRoutingOnDataStream(request, metadata);
  }
}
