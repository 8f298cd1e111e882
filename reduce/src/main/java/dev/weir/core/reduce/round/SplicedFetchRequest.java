package dev.weir.core.reduce.round;

import java.io.IOException;
import java.util.List;
import org.opensearch.action.OriginalIndices;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.search.RescoreDocIds;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.transport.TransportRequest;

/**
 * A fetch request whose shard request consists of the bytes that the node echoed in its query
 * result.
 *
 * <p>The layout is that of OpenSearch's {@code ShardFetchSearchRequest} without a last document,
 * documents to rescore and term statistics. The bytes go back to the same node in the same wire
 * version.
 */
final class SplicedFetchRequest extends TransportRequest {
  private final ShardSearchContextId contextId;
  private final List<Integer> docs;
  private final OriginalIndices indices;
  private final BytesReference shardRequest;

  SplicedFetchRequest(
      ShardSearchContextId context,
      List<Integer> docs,
      OriginalIndices indices,
      BytesReference shardRequest) {
    this.contextId = context;
    this.docs = docs;
    this.indices = indices;
    this.shardRequest = shardRequest;
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    super.writeTo(out);
    contextId.writeTo(out);
    out.writeVInt(docs.size());
    if (docs instanceof DocIdList plain) {
      plain.writeTo(out);
    } else {
      for (int doc : docs) {
        out.writeVInt(doc);
      }
    }
    out.writeByte((byte) 0); // no last document
    OriginalIndices.writeOriginalIndices(indices, out);
    out.writeBoolean(true);
    shardRequest.writeTo(out);
    RescoreDocIds.EMPTY.writeTo(out);
    out.writeBoolean(false); // no term statistics
  }
}
