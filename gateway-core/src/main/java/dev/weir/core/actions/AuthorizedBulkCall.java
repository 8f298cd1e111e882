package dev.weir.core.actions;

import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteResponse;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.ActiveShardCount;
import org.opensearch.action.support.WriteRequest.RefreshPolicy;
import org.opensearch.action.support.replication.ReplicationResponse.ShardInfo;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.engine.VersionConflictEngineException;
import org.opensearch.index.seqno.SequenceNumbers;

/**
 * Sends the items of one shard to the primary's node as a bulk of their own. A node authorizes the
 * items of a bulk, but not those of a shard bulk ({@code indices:data/write/bulk[s]}), which it
 * takes from other nodes only after these have authorized them.
 *
 * <p>A node refuses the mark of a generated id from a client, so it can't recognize a document that
 * an earlier attempt of the gateway, or of a node, has written. It answers a version conflict then,
 * which here means success: nobody else knows the id.
 *
 * @param shard the shard of all items
 * @param items with their slots in the client's bulk
 */
record AuthorizedBulkCall(ShardId shard, List<BulkItemRequest> items) {
  /** The version of a document that was created. */
  private static final long FIRST_VERSION = 1;

  /** The copies of a document of which a node says no more than that it exists. */
  private static final ShardInfo PRIMARY_ALONE = new ShardInfo(1, 1);

  /**
   * Creates the call.
   *
   * @param refresh the client's
   * @param activeShards how many copies to wait for
   * @param timeout how long the node may wait
   * @param headers name the user
   */
  NodeCall<BulkShardResponse> create(
      RefreshPolicy refresh,
      ActiveShardCount activeShards,
      TimeValue timeout,
      Map<String, String> headers) {
    BulkRequest bulk = new BulkRequest();
    for (BulkItemRequest item : items) {
      bulk.add(
          item.request() instanceof IndexRequest document
                  && BulkShardOperation.hasGeneratedId(document)
              ? withGivenId(document)
              : item.request());
    }
    bulk.setRefreshPolicy(refresh);
    bulk.waitForActiveShards(activeShards);
    bulk.timeout(timeout);
    return new NodeCall<>(
        BulkAction.NAME, bulk, this::read, ChannelKind.BULK, headers, Duration.ZERO);
  }

  /**
   * Copies a document whose id the gateway has generated. A node refuses the mark of a generated id
   * from its clients, and takes the id for one that the client gave.
   */
  private static IndexRequest withGivenId(IndexRequest document) {
    IndexRequest copy =
        new IndexRequest(document.index())
            .id(document.id())
            .routing(document.routing())
            .opType(document.opType())
            .source(document.source(), document.getContentType());
    copy.setPipeline(document.getPipeline());
    copy.setRequireAlias(document.isRequireAlias());
    return copy;
  }

  /** Reads the response, and numbers its items as the client's bulk does. */
  private BulkShardResponse read(StreamInput in) throws IOException {
    BulkItemResponse[] replies = new BulkResponse(in).getItems();
    if (replies.length != items.size()) {
      throw new IOException(
          "got " + replies.length + " responses to " + items.size() + " items of a bulk");
    }
    BulkItemResponse[] numbered = new BulkItemResponse[replies.length];
    ShardInfo copies = null;
    for (int i = 0; i < replies.length; i++) {
      BulkItemResponse reply = replies[i];
      if (isOwnDocument(items.get(i).request(), reply)) {
        numbered[i] = created(items.get(i), reply.getFailure().getId());
      } else if (reply.isFailed()) {
        numbered[i] =
            new BulkItemResponse(items.get(i).id(), reply.getOpType(), reply.getFailure());
      } else {
        DocWriteResponse done = reply.getResponse();
        numbered[i] = new BulkItemResponse(items.get(i).id(), reply.getOpType(), done);
        copies = done.getShardInfo(); // the same for all items of a shard
      }
    }
    BulkShardResponse response = new BulkShardResponse(shard, numbered);
    response.setShardInfo(copies == null ? PRIMARY_ALONE : copies);
    return response;
  }

  /** Whether a document exists already, under an id that the gateway generated for it. */
  private static boolean isOwnDocument(DocWriteRequest<?> request, BulkItemResponse reply) {
    return reply.isFailed()
        && request.opType() == DocWriteRequest.OpType.CREATE
        && request instanceof IndexRequest document
        && BulkShardOperation.hasGeneratedId(document)
        && ExceptionsHelper.unwrapCause(reply.getFailure().getCause())
            instanceof VersionConflictEngineException;
  }

  /** The conflict does not say the sequence number; a response leaves an unknown one out. */
  private BulkItemResponse created(BulkItemRequest item, String id) {
    return new BulkItemResponse(
        item.id(),
        DocWriteRequest.OpType.CREATE,
        new IndexResponse(
            shard,
            id,
            SequenceNumbers.UNASSIGNED_SEQ_NO,
            SequenceNumbers.UNASSIGNED_PRIMARY_TERM,
            FIRST_VERSION,
            true));
  }
}
