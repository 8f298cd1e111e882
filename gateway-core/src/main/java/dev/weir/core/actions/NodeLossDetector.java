package dev.weir.core.actions;

import dev.weir.model.RequestContext;
import dev.weir.rest.ActionExecutor;
import dev.weir.rest.ExecutionFilter;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionType;
import org.opensearch.action.get.MultiGetItemResponse;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchPhaseExecutionException;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.action.search.ShardSearchFailure;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.node.NodeClosedException;
import org.opensearch.transport.ConnectTransportException;
import org.opensearch.transport.ReceiveTimeoutTransportException;

/**
 * Marks a request's context when its response is incomplete because nodes were lost, so that
 * another cluster may serve it instead. Safe on any thread.
 */
public final class NodeLossDetector implements ExecutionFilter {
  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void filter(
      ActionType<R> action,
      Q request,
      RequestContext context,
      ActionListener<R> listener,
      ActionExecutor next) {
    next.execute(action, request, context, new NodeLossListener<>(context, listener));
  }

  private record NodeLossListener<R>(RequestContext context, ActionListener<R> listener)
      implements ActionListener<R> {
    @Override
    public void onResponse(R response) {
      if (isIncomplete(response)) {
        context.response().markIncomplete();
      }
      listener.onResponse(response);
    }

    @Override
    public void onFailure(Exception failure) {
      if (isNodeLoss(failure)) {
        context.response().markIncomplete();
      }
      listener.onFailure(failure);
    }
  }

  private static boolean isIncomplete(Object response) {
    return switch (response) {
      case SearchResponse search -> isIncomplete(search);
      case MultiSearchResponse searches -> {
        for (MultiSearchResponse.Item item : searches) {
          if (isIncomplete(item)) {
            yield true;
          }
        }
        yield false;
      }
      case MultiGetResponse documents -> {
        for (MultiGetItemResponse item : documents) {
          if (item.isFailed() && isNodeLoss(item.getFailure().getFailure())) {
            yield true;
          }
        }
        yield false;
      }
      default -> false;
    };
  }

  /** Whether a part of a multi-search lacks something because a node was lost. */
  static boolean isIncomplete(MultiSearchResponse.Item item) {
    SearchResponse search = item.getResponse();
    return search == null ? isNodeLoss(item.getFailure()) : isIncomplete(search);
  }

  /**
   * Never for the first page of a scroll, which the client keeps: another cluster's page would
   * leave this scroll open.
   */
  private static boolean isIncomplete(SearchResponse search) {
    return search.getScrollId() == null && hasNodeLoss(search.getShardFailures());
  }

  private static boolean hasNodeLoss(ShardSearchFailure[] failures) {
    for (ShardSearchFailure failure : failures) {
      if (isNodeLoss(failure.getCause())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether it failed because a node, or the cluster manager, was lost or did not answer in time.
   * Not so for failures that a request can cause by itself, such as too many buckets, although
   * their status is 503, too.
   */
  static boolean isNodeLoss(Throwable failure) {
    if (failure instanceof SearchPhaseExecutionException search) {
      return hasNodeLoss(search.shardFailures());
    }
    Throwable cause =
        ExceptionsHelper.unwrap(
            failure,
            ConnectTransportException.class,
            NodeClosedException.class,
            ReceiveTimeoutTransportException.class,
            ClusterBlockException.class);
    return cause != null
        && (!(cause instanceof ClusterBlockException block)
            || block.status() == RestStatus.SERVICE_UNAVAILABLE);
  }
}
