package dev.weir.core.reduce.context;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.reduce.round.FailureCollector;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchException;
import org.opensearch.action.search.CreatePitResponse;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.action.search.UpdatePitContextRequest;
import org.opensearch.action.search.UpdatePitContextResponse;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.unit.TimeValue;

/** Sends a new point in time's id and keep-alive to its search contexts. */
public final class UpdatePitRound implements NodeRound<UpdatePitContextResponse> {
  private final SearchCaller caller;
  private final CreatePitResponse createResponse;
  private final TimeValue keepAlive;
  private final List<SearchContextIdForNode> contexts;
  private final DiscoveryNodes nodes;
  private final FailureCollector failure = new FailureCollector();

  public UpdatePitRound(
      SearchCaller caller,
      CreatePitResponse created,
      TimeValue keepAlive,
      List<SearchContextIdForNode> contexts,
      DiscoveryNodes nodes) {
    this.caller = caller;
    this.createResponse = created;
    this.keepAlive = keepAlive;
    this.contexts = contexts;
    this.nodes = nodes;
  }

  /** Returns why the point in time failed; null once all contexts are updated. */
  public @Nullable Exception failure() {
    return failure.get();
  }

  @Override
  public String name() {
    return "update_pit";
  }

  @Override
  public @Nullable NodeCallType callType(int call) {
    return null;
  }

  @Override
  public int callCount() {
    return contexts.size();
  }

  @Override
  public String nodeId(int call) {
    return contexts.get(call).getNode();
  }

  @Override
  public NodeCall<UpdatePitContextResponse> createCall(int call) {
    if (!nodes.nodeExists(nodeId(call))) {
      throw new OpenSearchException(
          "Create pit update phase for PIT ID ["
              + createResponse.getId()
              + "] failed because node["
              + nodeId(call)
              + "] not found");
    }
    return caller.createStandaloneCall(
        SearchTransportService.UPDATE_READER_CONTEXT_ACTION_NAME,
        new UpdatePitContextRequest(
            contexts.get(call).getSearchContextId(),
            createResponse.getId(),
            keepAlive.millis(),
            createResponse.getCreationTime()),
        SearchInternals.updatePitResponseReader());
  }

  @Override
  public void onReply(
      int call, UpdatePitContextResponse reply, ReplyFrame frame, Runnable consumed) {
    consumed.run();
  }

  @Override
  public boolean onFailure(int call, Exception cause) {
    failure.add(cause);
    return true;
  }
}
