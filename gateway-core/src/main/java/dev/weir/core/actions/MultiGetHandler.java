package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.ReadCoordinator;
import dev.weir.core.reduce.items.MultiGetResponseCollector;
import dev.weir.model.RequestContext;
import java.util.Collection;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.action.get.MultiGetShardRequest;
import org.opensearch.core.action.ActionListener;

/**
 * Gets several documents, as OpenSearch's {@code TransportMultiGetAction}: one request for each
 * shard, all at once.
 */
final class MultiGetHandler implements ActionHandler<MultiGetRequest, MultiGetResponse> {
  private final DocumentActionServices tools;

  MultiGetHandler(DocumentActionServices tools) {
    this.tools = tools;
  }

  @Override
  public void handle(
      MultiGetRequest request, RequestContext context, ActionListener<MultiGetResponse> listener) {
    ClusterView view = tools.coordination().views().current();
    MultiGetPlanner planner = new MultiGetPlanner(tools, view, request);
    if (planner.plan(true)) {
      send(planner, context, listener);
      return;
    }
    tools
        .coordination()
        .views()
        .refresh(view)
        .thenAcceptAsync(
            now -> {
              if (context.cancelReason() == null) {
                onViewConfirmed(now, request, context, listener);
              }
            },
            context::runLater);
  }

  private void onViewConfirmed(
      ClusterView view,
      MultiGetRequest request,
      RequestContext context,
      ActionListener<MultiGetResponse> listener) {
    MultiGetPlanner planner = new MultiGetPlanner(tools, view, request);
    try {
      planner.plan(false);
    } catch (RuntimeException refused) {
      listener.onFailure(refused);
      return;
    }
    send(planner, context, listener);
  }

  private void send(
      MultiGetPlanner planner, RequestContext context, ActionListener<MultiGetResponse> listener) {
    MultiGetResponseCollector items = planner.items();
    Collection<MultiGetShardRequest> shards = planner.shards();
    if (shards.isEmpty()) {
      listener.onResponse(items.buildResponse());
      return;
    }
    Runnable whenOver =
        new Runnable() {
          private int left = shards.size();

          @Override
          public void run() {
            if (--left == 0) {
              listener.onResponse(items.buildResponse());
            }
          }
        };
    for (MultiGetShardRequest shard : shards) {
      new ReadCoordinator<>(
              tools.coordination(),
              context,
              new MultiGetShardWork(tools, shard, context, items, whenOver))
          .start();
    }
  }
}
