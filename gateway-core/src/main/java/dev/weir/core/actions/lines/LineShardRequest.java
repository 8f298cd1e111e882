package dev.weir.core.actions.lines;

import java.io.IOException;
import org.apache.lucene.util.Accountable;
import org.opensearch.action.support.ActiveShardCount;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.action.support.replication.ReplicatedWriteRequest;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.io.stream.StreamOutput;

/** Writes the bytes of OpenSearch's {@code BulkShardRequest} from lines. */
public final class LineShardRequest extends ReplicatedWriteRequest<LineShardRequest>
    implements Accountable {
  private final ShardLines documents;

  /**
   * Creates a request.
   *
   * @param viewVersion the version of the cluster state that it is routed by
   */
  public LineShardRequest(
      ShardLines documents,
      WriteRequest.RefreshPolicy refresh,
      ActiveShardCount activeShards,
      TimeValue timeout,
      long viewVersion) {
    super(documents.shard());
    this.documents = documents;
    setRefreshPolicy(refresh);
    waitForActiveShards(activeShards);
    timeout(timeout);
    routedBasedOnClusterVersion(viewVersion);
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    super.writeTo(out);
    documents.writeTo(out);
  }

  @Override
  public long ramBytesUsed() {
    return documents.bytes();
  }

  @Override
  public String toString() {
    return "LineShardRequest[" + documents.shard() + ", " + documents.size() + " documents]";
  }
}
