package dev.weir.core.actions;

import dev.weir.core.coordinate.write.WriteCoordinator;
import dev.weir.model.RequestContext;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.core.action.ActionListener;

/** Forwards whole bulks to a node. */
final class ForwardedBulkHandler implements ActionHandler<BulkRequest, BulkResponse> {
  private final DocumentActionServices tools;

  ForwardedBulkHandler(DocumentActionServices tools) {
    this.tools = tools;
  }

  @Override
  public void handle(
      BulkRequest request, RequestContext context, ActionListener<BulkResponse> listener) {
    new WriteCoordinator(
            tools.coordination(), context, new ForwardedBulkWork(tools, request, context, listener))
        .start();
  }
}
