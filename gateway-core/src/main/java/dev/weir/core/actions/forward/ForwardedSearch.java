package dev.weir.core.actions.forward;

import dev.weir.core.actions.forward.SearchForwarder.ForwardingMode;
import dev.weir.core.coordinate.FailoverCall;
import dev.weir.core.coordinate.NodeTaskBan;
import dev.weir.core.reduce.round.ParentTaskBan;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import dev.weir.rest.PassThroughReasons;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchSecurityException;
import org.opensearch.action.search.SearchAction;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.io.stream.NotSerializableExceptionWrapper;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.node.NodeClosedException;

/**
 * One search of a request that a node coordinates. Its failure is the item's failure only where a
 * node would show the same; otherwise the whole request passes through. Confined to the request's
 * event loop.
 */
final class ForwardedSearch implements FailoverCall.Work<SearchResponse> {
  private static final int MAX_CAUSES = 20;

  private final SearchForwarder forwarder;
  private final SearchRequest search;
  private final ForwardingMode mode;
  private final RequestContext context;
  private final ForwardedResponseReader reader;
  private final ActionListener<SearchResponse> listener;
  private @Nullable String nodeId;
  private String cancelReason = "";

  ForwardedSearch(
      SearchForwarder forwarder,
      SearchRequest search,
      ForwardingMode mode,
      RequestContext context,
      ForwardedResponseReader reader,
      ActionListener<SearchResponse> listener) {
    this.forwarder = forwarder;
    this.search = search;
    this.mode = mode;
    this.context = context;
    this.reader = reader;
    this.listener = listener;
  }

  @Override
  public NodeCall<SearchResponse> createCall(String node) {
    if (nodeId != null) {
      forwarder.onRetry();
    }
    nodeId = node;
    forwarder.onSend(node);
    return mode.caller().forNode(node).createChildCall(SearchAction.NAME, search, reader);
  }

  private void onOutcome() {
    String asked = nodeId;
    if (asked != null) {
      forwarder.onOutcome(asked);
    }
  }

  /** A search alone may run long: where a node is full, it is not repeated at once elsewhere. */
  @Override
  public boolean shouldTryNext(NodeCallException failure) {
    boolean tryNext =
        switch (failure.kind()) {
          case NOT_SENT, CONNECTION_LOST, TIMED_OUT -> true;
          case REMOTE ->
              ExceptionsHelper.unwrap(failure.exception(), NodeClosedException.class) != null
                  || (!mode.isAlone()
                      && !failure.isOverRequestCeiling()
                      && isRejection(failure.exception()));
          case MALFORMED, OVER_BUDGET -> false;
        };
    onOutcome();
    reader.release();
    return tryNext;
  }

  private static boolean isRejection(Exception failure) {
    return ExceptionsHelper.unwrap(
            failure, CircuitBreakingException.class, OpenSearchRejectedExecutionException.class)
        != null;
  }

  @Override
  public void onReply(SearchResponse reply, ReplyFrame frame) {
    onOutcome();
    if (mode.isKept()) {
      frame.retain(); // the hits' sources are slices of it
      context.onEnd(frame::release);
      context.onEnd(reader::release);
      listener.onResponse(reply);
      return;
    }
    try {
      listener.onResponse(reply);
    } finally {
      reader.release();
    }
  }

  @Override
  public void onFailure(Exception failure) {
    Exception shown = failure instanceof NodeCallException call ? toItemFailure(call) : failure;
    if (shown instanceof PassThroughException) {
      forwarder.onFallback();
    }
    listener.onFailure(shown);
  }

  private Exception toItemFailure(NodeCallException failure) {
    return switch (failure.kind()) {
      case REMOTE -> toItemFailure(failure.exception());
      case OVER_BUDGET ->
          mode.isAlone()
              ? new PassThroughException(PassThroughReasons.MEMORY, failure.exception())
              : failure.exception();
      case NOT_SENT ->
          failure.exception() instanceof OpenSearchRejectedExecutionException queueFull
              ? queueFull
              : new PassThroughException(mode.reason());
      case CONNECTION_LOST, TIMED_OUT, MALFORMED -> new PassThroughException(mode.reason());
    };
  }

  /** The failure as the node that coordinates the search shows it. */
  private Exception toItemFailure(Exception remote) {
    if (ExceptionsHelper.unwrap(remote, OpenSearchSecurityException.class) != null) {
      forwarder.onUserMissing();
      return new PassThroughException(mode.reason());
    }
    if (!(ExceptionsHelper.unwrapCause(remote) instanceof Exception cause)
        || isChangedByTransport(cause)) {
      return new PassThroughException(mode.reason());
    }
    return mode.isAlone() && isRejection(cause) ? remote : cause; // wrapped, it is final
  }

  /**
   * Whether the node's transport replaced the class of a cause and changed its message. The causes
   * of shards' failures changed on their way to the coordinating node already.
   */
  private static boolean isChangedByTransport(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof SearchPhaseExecutionException phase
          && phase.shardFailures().length > 0) {
        return false;
      }
      if (cause instanceof NotSerializableExceptionWrapper) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  @Override
  public void onUnrecoverable(Consumer<String> cancel) {
    // nothing but the request cancels it
  }

  @Override
  public Exception cancellationException() {
    return ParentTaskBan.createRejection(cancelReason);
  }

  @Override
  public void cancel(String reason) {
    cancelReason = reason;
  }

  @Override
  public NodeTaskBan taskBan(String node) {
    return ParentTaskBan.forCaller(mode.caller().forNode(node));
  }
}
