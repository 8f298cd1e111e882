package dev.weir.core.actions;

import dev.weir.core.coordinate.write.WriteCoordinator;
import dev.weir.model.RequestContext;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.core.action.ActionListener;

/** Carries out bulks, as OpenSearch's {@code TransportBulkAction}. */
final class BulkHandler implements ActionHandler<BulkRequest, BulkResponse> {
  private final DocumentActionServices tools;

  BulkHandler(DocumentActionServices tools) {
    this.tools = tools;
  }

  @Override
  public void handle(
      BulkRequest request, RequestContext context, ActionListener<BulkResponse> listener) {
    start(request, false, context, listener);
  }

  /** Carries out the write of one document, as a bulk of one item. */
  void handleDocument(
      BulkRequest request, RequestContext context, ActionListener<BulkResponse> listener) {
    start(request, true, context, listener);
  }

  private void start(
      BulkRequest request,
      boolean isSingleDocument,
      RequestContext context,
      ActionListener<BulkResponse> listener) {
    new WriteCoordinator(
            tools.coordination(),
            context,
            new BulkWork(tools, request, isSingleDocument, context, listener))
        .start();
  }
}
