package dev.weir.core.reduce.context;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.reduce.round.FailureCollector;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.search.DeletePitInfo;
import org.opensearch.action.search.DeletePitResponse;
import org.opensearch.action.search.PitSearchContextIdForNode;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.core.action.ActionListener;
import org.opensearch.transport.ConnectTransportException;

/**
 * Frees the search contexts of points in time, node by node. A message has the whole id for each
 * context, so that a node with many contexts gets several messages.
 */
public final class DeletePitRound implements NodeRound<DeletePitResponse> {
  /** The most bytes of a call for several contexts. */
  static final long MAX_CALL_BYTES = 1L << 20;

  /** What one call frees. */
  private record FreeCall(String nodeId, List<PitSearchContextIdForNode> contexts, long bytes) {}

  private final SearchCaller caller;
  private final List<FreeCall> calls;
  private final ActionListener<DeletePitResponse> listener;
  private final Map<String, Boolean> deleted = new HashMap<>();
  private final FailureCollector failure = new FailureCollector();

  private DeletePitRound(
      SearchCaller caller, List<FreeCall> calls, ActionListener<DeletePitResponse> listener) {
    this.caller = caller;
    this.calls = calls;
    this.listener = listener;
  }

  /**
   * Frees these contexts. A point in time with a context on a node that left the cluster, or that
   * is not connected, is reported as not deleted.
   */
  public static DeletePitRound forContexts(
      SearchCaller caller,
      Map<String, List<PitSearchContextIdForNode>> byNode,
      DiscoveryNodes nodes,
      ActionListener<DeletePitResponse> listener) {
    List<FreeCall> calls = new ArrayList<>();
    List<DeletePitInfo> lost = new ArrayList<>();
    for (Map.Entry<String, List<PitSearchContextIdForNode>> node : byNode.entrySet()) {
      if (nodes.nodeExists(node.getKey())) {
        addCalls(node.getKey(), node.getValue(), calls);
      } else {
        lost.addAll(notDeleted(node.getValue()));
      }
    }
    DeletePitRound round = new DeletePitRound(caller, calls, listener);
    round.recordDeletions(lost);
    return round;
  }

  private static void addCalls(
      String nodeId, List<PitSearchContextIdForNode> contexts, List<FreeCall> calls) {
    int from = 0;
    long bytes = 0;
    for (int context = 0; context < contexts.size(); context++) {
      long more = PitMessageSize.bytesPerContext(contexts.get(context).getPitId());
      if (context > from && bytes + more > MAX_CALL_BYTES) {
        calls.add(new FreeCall(nodeId, contexts.subList(from, context), bytes));
        from = context;
        bytes = 0;
      }
      bytes += more;
    }
    calls.add(new FreeCall(nodeId, contexts.subList(from, contexts.size()), bytes));
  }

  @Override
  public String name() {
    return "delete_pit";
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
  public long payloadBytes(int call) {
    return calls.get(call).bytes();
  }

  @Override
  public NodeCall<DeletePitResponse> createCall(int call) {
    return caller.createStandaloneCall(
        SearchTransportService.FREE_PIT_CONTEXT_ACTION_NAME,
        SearchInternals.createFreePitContextsRequest(calls.get(call).contexts()),
        DeletePitResponse::new);
  }

  @Override
  public void onReply(int call, DeletePitResponse reply, ReplyFrame frame, Runnable consumed) {
    recordDeletions(reply.getDeletePitResults());
    consumed.run();
  }

  @Override
  public boolean onFailure(int call, Exception cause) {
    if (isUnreachable(cause)) {
      recordDeletions(notDeleted(calls.get(call).contexts()));
    } else {
      failure.add(cause);
    }
    return true;
  }

  /** Returns whether the node is not connected, for which a node reports no failure either. */
  private static boolean isUnreachable(Exception cause) {
    return cause instanceof NodeCallException sending
        && sending.kind() == NodeCallException.Kind.NOT_SENT
        && ExceptionsHelper.unwrapCause(sending.exception()) instanceof ConnectTransportException;
  }

  /** Sends the response. */
  public void respond() {
    Exception first = failure.get();
    if (first != null) {
      listener.onFailure(first);
      return;
    }
    List<DeletePitInfo> infos = new ArrayList<>(deleted.size());
    deleted.forEach((id, successful) -> infos.add(new DeletePitInfo(successful, id)));
    listener.onResponse(new DeletePitResponse(infos));
  }

  private static List<DeletePitInfo> notDeleted(List<PitSearchContextIdForNode> contexts) {
    return contexts.stream().map(context -> new DeletePitInfo(false, context.getPitId())).toList();
  }

  private void recordDeletions(List<DeletePitInfo> infos) {
    for (DeletePitInfo info : infos) {
      deleted.merge(info.getPitId(), info.isSuccessful(), (one, other) -> one && other);
    }
  }
}
