package dev.weir.core.reduce;

import dev.weir.model.Work;
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
 * Opens a context on every shard, for a point in time, for as long as it takes to open them all.
 */
final class PitRound extends SearchRound<CreateReaderContextResponse> {
  private final TimeValue keepAlive;
  private final AtomicArray<SearchPhaseResult> results;

  PitRound(SearchParts parts, List<Integer> ordinals, ShardFailures failures, TimeValue keepAlive) {
    super(TransportCreatePitAction.CREATE_PIT_ACTION, parts, ordinals, failures);
    this.keepAlive = keepAlive;
    this.results = new AtomicArray<>(parts.scope().shards().size());
  }

  @Override
  NodeCall<CreateReaderContextResponse> call(int shard, String nodeId, SearchCaller caller) {
    checkNode(nodeId);
    return caller.child(
        SearchTransportService.CREATE_READER_CONTEXT_ACTION_NAME,
        new CreateReaderContextRequest(parts().requests().shard(ordinal(shard)).id(), keepAlive),
        CreateReaderContextResponse::new);
  }

  @Override
  OpenContexts.Stands contextStands() {
    return OpenContexts.Stands.FIRST;
  }

  @Override
  public Work work() {
    return Work.OPENING;
  }

  @Override
  public boolean repeatable() {
    return false;
  }

  @Override
  public void reply(
      int shard,
      String nodeId,
      CreateReaderContextResponse reply,
      ReplyFrame frame,
      Runnable consumed) {
    identify(shard, nodeId, reply);
    parts().contexts().opened(shard, reply.getSearchShardTarget(), reply.getContextId());
    results.set(shard, reply);
    succeeded(shard);
    consumed.run();
  }

  AtomicArray<SearchPhaseResult> results() {
    return results;
  }
}
