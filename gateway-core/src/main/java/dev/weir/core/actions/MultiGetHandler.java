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
    plan(new MultiGetPlanner(tools, view, request), view, true, context, listener);
  }

  /** Plans some items, and the others in later tasks. */
  private void plan(
      MultiGetPlanner planner,
      ClusterView view,
      boolean cautious,
      RequestContext context,
      ActionListener<MultiGetResponse> listener) {
    switch (planner.plan(cautious)) {
      case DONE -> send(planner, context, listener);
      case UNFINISHED ->
          later(() -> plan(planner, view, cautious, context, listener), context, listener);
      case VIEW_MAY_BE_STALE ->
          tools
              .coordination()
              .views()
              .refresh(view)
              .thenAccept(fresh -> {
                MultiGetPlanner again = new MultiGetPlanner(tools, fresh, planner.request());
                later(() -> plan(again, fresh, false, context, listener), context, listener);
              });
    }
  }

  private static void later(
      Runnable planning, RequestContext context, ActionListener<MultiGetResponse> listener) {
    context.runLater(() -> {
      if (context.cancelReason() != null) {
        return;
      }
      try {
        planning.run();
      } catch (RuntimeException refused) {
        listener.onFailure(refused);
      }
    });
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
