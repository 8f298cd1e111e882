package dev.weir.core.reduce.context;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ClearScrollResponse;
import org.opensearch.action.search.SearchContextIdForNode;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.action.search.SearchTransportService.SearchFreeContextResponse;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.transport.TransportRequest;

/** Frees the search contexts of scrolls. */
public final class ClearScrollRound implements NodeRound<TransportResponse> {
  private record FreeContextCall(String nodeId, NodeCall<TransportResponse> call) {}

  private final List<FreeContextCall> calls;
  private final ActionListener<ClearScrollResponse> listener;
  private int freedContexts;
  private boolean failed;

  private ClearScrollRound(
      List<FreeContextCall> calls, ActionListener<ClearScrollResponse> listener) {
    this.calls = calls;
    this.listener = listener;
  }

  /** Frees these contexts. A context on a node that left the cluster counts as not freed. */
  public static ClearScrollRound forContexts(
      SearchCaller caller,
      List<SearchContextIdForNode> contexts,
      DiscoveryNodes nodes,
      ActionListener<ClearScrollResponse> listener) {
    List<FreeContextCall> calls = new ArrayList<>(contexts.size());
    for (SearchContextIdForNode context : contexts) {
      if (nodes.nodeExists(context.getNode())) {
        calls.add(
            new FreeContextCall(
                context.getNode(),
                caller.createStandaloneCall(
                    SearchTransportService.FREE_CONTEXT_SCROLL_ACTION_NAME,
                    SearchInternals.createFreeScrollContextRequest(context.getSearchContextId()),
                    SearchInternals.freeContextResponseReader()::read)));
      }
    }
    return new ClearScrollRound(calls, listener);
  }

  /** Frees all scroll contexts of these nodes. */
  public static ClearScrollRound forNodes(
      SearchCaller caller, List<String> nodeIds, ActionListener<ClearScrollResponse> listener) {
    List<FreeContextCall> calls = new ArrayList<>(nodeIds.size());
    for (String nodeId : nodeIds) {
      calls.add(
          new FreeContextCall(
              nodeId,
              caller.createStandaloneCall(
                  SearchTransportService.CLEAR_SCROLL_CONTEXTS_ACTION_NAME,
                  TransportRequest.Empty.INSTANCE,
                  in -> TransportResponse.Empty.INSTANCE)));
    }
    return new ClearScrollRound(calls, listener);
  }

  @Override
  public String name() {
    return "clear_scroll";
  }

  @Override
  public @Nullable NodeCallType callType(int call) {
    return null;
  }

  @Override
  public int callCount() {
    return calls.size();
  }

  @Override
  public String nodeId(int call) {
    return calls.get(call).nodeId();
  }

  @Override
  public NodeCall<TransportResponse> createCall(int call) {
    return calls.get(call).call();
  }

  @Override
  public void onReply(int call, TransportResponse reply, ReplyFrame frame, Runnable consumed) {
    if (!(reply instanceof SearchFreeContextResponse context) || context.isFreed()) {
      freedContexts++;
    }
    consumed.run();
  }

  @Override
  public boolean onFailure(int call, Exception failure) {
    failed = true;
    return true;
  }

  /** Sends the response. */
  public void respond() {
    listener.onResponse(new ClearScrollResponse(!failed, freedContexts));
  }
}
