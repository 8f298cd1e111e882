package dev.weir.core.actions;

import dev.weir.core.coordinate.write.WriteCoordinator;
import dev.weir.model.RequestContext;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.core.action.ActionListener;

/** Updates one document, as OpenSearch's {@code TransportUpdateAction}. */
final class UpdateHandler implements ActionHandler<UpdateRequest, UpdateResponse> {
  private final DocumentActionServices tools;

  UpdateHandler(DocumentActionServices tools) {
    this.tools = tools;
  }

  @Override
  public void handle(
      UpdateRequest request, RequestContext context, ActionListener<UpdateResponse> listener) {
    new WriteCoordinator(
            tools.coordination(), context, new UpdateWork(tools, request, context, listener))
        .start();
  }
}
