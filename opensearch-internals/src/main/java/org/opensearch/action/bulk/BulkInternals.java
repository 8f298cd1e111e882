package org.opensearch.action.bulk;

import java.util.function.UnaryOperator;
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

  /**
   * Returns a reader of the response to a shard-level bulk.
   *
   * @param failures replaces the failure of each item once the response is read
   */
  public static Writeable.Reader<BulkShardResponse> shardResponseReader(
      UnaryOperator<Exception> failures) {
    return in -> {
      BulkShardResponse response = new BulkShardResponse(in);
      BulkItemResponse[] items = response.getResponses();
      for (int i = 0; i < items.length; i++) {
        items[i] = withFailure(items[i], failures);
      }
      return response;
    };
  }

  private static BulkItemResponse withFailure(
      BulkItemResponse item, UnaryOperator<Exception> failures) {
    if (!item.isFailed()) {
      return item;
    }
    BulkItemResponse.Failure read = item.getFailure();
    Exception replaced = failures.apply(read.getCause());
    return replaced.equals(read.getCause())
        ? item
        : new BulkItemResponse(
            item.getItemId(),
            item.getOpType(),
            new BulkItemResponse.Failure(read.getIndex(), read.getId(), replaced));
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
