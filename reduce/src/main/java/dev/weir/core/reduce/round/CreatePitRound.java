package dev.weir.core.reduce.round;

import dev.weir.core.reduce.response.ShardFailures;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.List;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.action.search.TransportCreatePitAction;
import org.opensearch.action.search.TransportCreatePitAction.CreateReaderContextRequest;
import org.opensearch.action.search.TransportCreatePitAction.CreateReaderContextResponse;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.search.SearchPhaseResult;

/**
 * Opens a search context on every shard for a point in time. A context lives only as long as it
 * takes to open all of them; {@code UpdatePitRound} extends it.
 */
public final class CreatePitRound extends BaseShardRound<CreateReaderContextResponse> {
  private final TimeValue keepAlive;
  private final AtomicArray<SearchPhaseResult> results;

  public CreatePitRound(
      SearchRoundContext parts,
      List<Integer> ordinals,
      ShardFailures failures,
      TimeValue keepAlive) {
    super(TransportCreatePitAction.CREATE_PIT_ACTION, parts, ordinals, failures);
    this.keepAlive = keepAlive;
    this.results = new AtomicArray<>(parts.scope().shards().size());
  }

  @Override
  public NodeCall<CreateReaderContextResponse> createCall(
      int shard, String nodeId, SearchCaller caller) {
    checkNode(nodeId);
    return caller.createChildCall(
        SearchTransportService.CREATE_READER_CONTEXT_ACTION_NAME,
        new CreateReaderContextRequest(
            parts().shardRequests().scopeOf(ordinalOf(shard)).id(), keepAlive),
        CreateReaderContextResponse::new);
  }

  @Override
  SearchContextTracker.ContextIdPosition contextIdPosition() {
    return SearchContextTracker.ContextIdPosition.AT_START;
  }

  @Override
  public NodeCallType callType() {
    return NodeCallType.OPEN_POINT_IN_TIME;
  }

  @Override
  public boolean isHedgeable() {
    return false;
  }

  @Override
  public void onReply(
      int shard,
      String nodeId,
      CreateReaderContextResponse reply,
      ReplyFrame frame,
      Runnable consumed) {
    setShard(shard, nodeId, reply);
    parts().contexts().recordOpened(shard, reply.getSearchShardTarget(), reply.getContextId());
    results.set(shard, reply);
    onSuccess(shard);
    consumed.run();
  }

  public AtomicArray<SearchPhaseResult> results() {
    return results;
  }
}
