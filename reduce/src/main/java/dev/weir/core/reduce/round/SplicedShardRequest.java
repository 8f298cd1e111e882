package dev.weir.core.reduce.round;

import java.io.IOException;
import org.opensearch.action.OriginalIndices;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.transport.TransportRequest;

/**
 * A shard request whose source consists of bytes that are shared by all shards of the search.
 *
 * <p>The layout is that of OpenSearch's {@code ShardSearchRequest}, since version 2.0.
 */
final class SplicedShardRequest extends TransportRequest {
  private final ShardSearchRequest request;
  private final OriginalIndices indices;
  private final SerializedSource source;

  /**
   * Creates the request.
   *
   * @param indices the indices that {@code request} was created with
   * @param source the source of {@code request}
   */
  SplicedShardRequest(
      ShardSearchRequest request, OriginalIndices indices, SerializedSource source) {
    this.request = request;
    this.indices = indices;
    this.source = source;
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    super.writeTo(out);
    request.shardId().writeTo(out);
    out.writeByte(request.searchType().id());
    out.writeVInt(request.numberOfShards());
    out.writeOptionalWriteable(request.scroll());
    out.writeBoolean(true);
    source.writeTo(out);
    request.getAliasFilter().writeTo(out);
    out.writeFloat(request.indexBoost());
    out.writeVLong(request.nowInMillis());
    out.writeOptionalBoolean(request.requestCache());
    out.writeVLong(request.getInboundNetworkTime());
    out.writeVLong(request.getOutboundNetworkTime());
    out.writeOptionalString(request.getClusterAlias());
    out.writeBoolean(request.allowPartialSearchResults());
    out.writeStringArray(request.indexRoutings());
    out.writeOptionalString(request.preference());
    out.writeBoolean(request.canReturnNullResponseIfMatchNoDocs());
    out.writeOptionalWriteable(request.getBottomSortValues());
    out.writeOptionalWriteable(request.readerId());
    out.writeOptionalTimeValue(request.keepAlive());
    OriginalIndices.writeOriginalIndices(indices, out);
  }
}
