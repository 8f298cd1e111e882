package dev.weir.core.reduce.context;

import dev.weir.core.coordinate.NodeRound;
import dev.weir.core.reduce.round.FailureCollector;
import dev.weir.core.reduce.round.SearchCaller;
import dev.weir.model.HttpStatus;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.DeletePitInfo;
import org.opensearch.action.search.DeletePitResponse;
import org.opensearch.action.search.PitSearchContextIdForNode;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.core.action.ActionListener;

/** Frees the search contexts of points in time, node by node. */
public final class DeletePitRound implements NodeRound<DeletePitResponse> {
  private final SearchCaller caller;
  private final List<Map.Entry<String, List<PitSearchContextIdForNode>>> contextsByNode;
  private final ActionListener<DeletePitResponse> listener;
  private final Map<String, Boolean> deleted = new HashMap<>();
  private final FailureCollector failure = new FailureCollector();

  private DeletePitRound(
      SearchCaller caller,
      List<Map.Entry<String, List<PitSearchContextIdForNode>>> reached,
      ActionListener<DeletePitResponse> listener) {
    this.caller = caller;
    this.contextsByNode = reached;
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
    List<Map.Entry<String, List<PitSearchContextIdForNode>>> reached = new ArrayList<>();
    List<DeletePitInfo> lost = new ArrayList<>();
    for (Map.Entry<String, List<PitSearchContextIdForNode>> node : byNode.entrySet()) {
      if (nodes.nodeExists(node.getKey())) {
        reached.add(node);
      } else {
        lost.addAll(notDeleted(node.getValue()));
      }
    }
    DeletePitRound round = new DeletePitRound(caller, reached, listener);
    round.recordDeletions(lost);
    return round;
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
    return contextsByNode.size();
  }

  @Override
  public String nodeId(int call) {
    return contextsByNode.get(call).getKey();
  }

  @Override
  public NodeCall<DeletePitResponse> createCall(int call) {
    return caller.createStandaloneCall(
        SearchTransportService.FREE_PIT_CONTEXT_ACTION_NAME,
        SearchInternals.createFreePitContextsRequest(contextsByNode.get(call).getValue()),
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
      recordDeletions(notDeleted(contextsByNode.get(call).getValue()));
    } else {
      failure.add(cause);
    }
    return true;
  }

  /** Returns whether the node is not connected, for which a node reports no failure either. */
  private static boolean isUnreachable(Exception cause) {
    return cause instanceof NodeCallException sending
        && sending.kind() == NodeCallException.Kind.NOT_SENT
        && sending.status() != HttpStatus.TOO_MANY_REQUESTS;
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
