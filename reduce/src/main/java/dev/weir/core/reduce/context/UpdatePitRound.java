package dev.weir.core.reduce.context;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.reduce.round.FailureCollector;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
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
import org.opensearch.core.tasks.TaskCancelledException;

/**
 * Sends a new point in time's id and keep-alive to its search contexts. Once its request is
 * cancelled nobody gets the id: the round sends nothing more, and fails.
 */
public final class UpdatePitRound implements NodeRound<UpdatePitContextResponse> {
  private final SearchCaller caller;
  private final CreatePitResponse createResponse;
  private final TimeValue keepAlive;
  private final List<SearchContextIdForNode> contexts;
  private final DiscoveryNodes nodes;
  private final RequestContext request;
  private final FailureCollector failure = new FailureCollector();
  private @Nullable TaskCancelledException cancellation;

  /**
   * Sends nothing yet.
   *
   * @param contexts of the point in time
   * @param nodes of the newest cluster view
   * @param request opens the point in time
   */
  public UpdatePitRound(
      SearchCaller caller,
      CreatePitResponse created,
      TimeValue keepAlive,
      List<SearchContextIdForNode> contexts,
      DiscoveryNodes nodes,
      RequestContext request) {
    this.caller = caller;
    this.createResponse = created;
    this.keepAlive = keepAlive;
    this.contexts = contexts;
    this.nodes = nodes;
    this.request = request;
  }

  /** Returns why the point in time failed; null once all contexts are updated. */
  public @Nullable Exception failure() {
    Exception first = failure.get();
    return first == null ? cancellation() : first;
  }

  private @Nullable TaskCancelledException cancellation() {
    String reason = request.cancelReason();
    if (cancellation == null && reason != null) {
      cancellation = new TaskCancelledException(reason);
    }
    return cancellation;
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
  public long payloadBytes(int call) {
    return PitMessageSize.bytesPerContext(createResponse.getId());
  }

  @Override
  public NodeCall<UpdatePitContextResponse> createCall(int call) {
    TaskCancelledException cancelled = cancellation();
    if (cancelled != null) {
      throw cancelled;
    }
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
