package dev.weir.core.actions;

import dev.weir.core.coordinate.ReadCoordinator;
import dev.weir.model.RequestContext;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.get.GetResponse;
import org.opensearch.core.action.ActionListener;

/** Gets one document, as OpenSearch's {@code TransportGetAction}. */
final class GetHandler implements ActionHandler<GetRequest, GetResponse> {
  private final DocumentActionServices tools;

  GetHandler(DocumentActionServices tools) {
    this.tools = tools;
  }

  @Override
  public void handle(
      GetRequest request, RequestContext context, ActionListener<GetResponse> listener) {
    new ReadCoordinator<>(
            tools.coordination(), context, new GetWork(tools, request, context, listener))
        .start();
  }
}
