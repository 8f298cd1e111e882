package dev.weir.core.actions.authorization;

import dev.weir.core.coordinate.NodeSender;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchSecurityException;
import org.opensearch.core.rest.RestStatus;

/**
 * Refuses to send a call about indices that names no user, or that neither a node nor the gateway
 * authorizes: a node would carry it out with the rights of the gateway's certificate, which has all
 * of them. The last line of defence; a call that it refuses is a defect. Safe on any thread.
 */
final class IdentityGuard implements NodeSender {
  private static final String INDICES_ACTION = "indices:";
  private static final String SEARCH_OF_SHARD = "indices:data/read/search[";

  private final BooleanSupplier isActive;
  private final AuthorizationCounts counts;
  private final NodeSender sender;

  /**
   * Creates the guard of a sender.
   *
   * @param isActive whether the gateway authorizes requests now
   */
  IdentityGuard(BooleanSupplier isActive, AuthorizationCounts counts, NodeSender sender) {
    this.isActive = isActive;
    this.counts = counts;
    this.sender = sender;
  }

  @Override
  public <R> PendingCall send(
      String nodeId,
      NodeCallType work,
      NodeCall<R> call,
      RequestContext context,
      @Nullable LoadFeedback<R> loadFeedback,
      ReplyHandler<R> handler) {
    return isUnauthorized(call)
        ? refuse(nodeId, call, context, handler)
        : sender.send(nodeId, work, call, context, loadFeedback, handler);
  }

  @Override
  public <R> PendingCall sendUntracked(
      String nodeId, NodeCall<R> call, RequestContext context, ReplyHandler<R> handler) {
    return isUnauthorized(call)
        ? refuse(nodeId, call, context, handler)
        : sender.sendUntracked(nodeId, call, context, handler);
  }

  @Override
  public CallBatch startBatch(int maxRunning) {
    CallBatch batch = sender.startBatch(maxRunning);
    return new CallBatch(
        new IdentityGuard(isActive, counts, batch.sender()),
        new IdentityGuard(isActive, counts, batch.queuing()),
        batch.queuingNodes(),
        batch.flush());
  }

  private boolean isUnauthorized(NodeCall<?> call) {
    return call.action().startsWith(INDICES_ACTION)
        && isActive.getAsBoolean()
        && (!call.headers().containsKey(AuthenticatedUser.USER_HEADER)
            || isUnchecked(call.action()));
  }

  /** Nodes authorize no calls about single shards; the gateway has those of searches authorized. */
  private static boolean isUnchecked(String action) {
    return action.indexOf('[') >= 0 && !action.startsWith(SEARCH_OF_SHARD);
  }

  private PendingCall refuse(
      String nodeId, NodeCall<?> call, RequestContext context, ReplyHandler<?> handler) {
    counts.recordUnnamedCall();
    NodeCallException refused =
        new NodeCallException(
            NodeCallException.Kind.REMOTE,
            nodeId,
            new OpenSearchSecurityException(
                "No user found for " + call.action(), RestStatus.INTERNAL_SERVER_ERROR));
    context.eventLoop().execute(() -> handler.onFailure(refused));
    return () -> false;
  }
}
