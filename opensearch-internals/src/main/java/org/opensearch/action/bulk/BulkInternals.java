package org.opensearch.action.bulk;

import java.io.IOException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.core.common.io.stream.FilterStreamInput;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;

/** Gives access to the package-private parts of OpenSearch's bulk classes. */
@NullMarked
public final class BulkInternals {
  /** A response of successes has fewer bytes an item. */
  private static final int MAX_BYTES_WITHOUT_FAILURES = 512;

  private BulkInternals() {}

  /** Returns a reader of the response to a shard-level bulk. */
  public static Writeable.Reader<BulkShardResponse> shardResponseReader() {
    return BulkShardResponse::new;
  }

  /**
   * Returns a reader of the response to a shard-level bulk that replaces the failure of each item
   * as soon as it is read: a node's exception takes some 30 KB.
   *
   * @param items of the bulk
   */
  public static Writeable.Reader<BulkShardResponse> shardResponseReader(
      int items, UnaryOperator<Exception> failures) {
    return in ->
        new BulkShardResponse(
            hasManyFailures(in, items) ? new FailureReplacingStreamInput(in, failures) : in);
  }

  /** Returns whether a response is too long for one in which nearly all items succeeded. */
  public static boolean hasManyFailures(StreamInput in, int items) throws IOException {
    return in.available() > MAX_BYTES_WITHOUT_FAILURES * items;
  }

  /** Replaces exceptions, but not their causes. */
  private static final class FailureReplacingStreamInput extends FilterStreamInput {
    private final UnaryOperator<Exception> failures;
    private int depth;

    FailureReplacingStreamInput(StreamInput in, UnaryOperator<Exception> failures) {
      super(in);
      this.failures = failures;
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as in the superclass
    public <T extends Exception> T readException() throws IOException {
      depth++;
      try {
        Exception read = super.readException();
        return (T) (depth > 1 || read == null ? read : failures.apply(read));
      } finally {
        depth--;
      }
    }
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
