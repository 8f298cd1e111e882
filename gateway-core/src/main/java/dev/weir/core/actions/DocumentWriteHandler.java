package dev.weir.core.actions;

import dev.weir.model.RequestContext;
import org.opensearch.action.bulk.TransportSingleItemBulkWriteAction;
import org.opensearch.action.support.WriteResponse;
import org.opensearch.action.support.replication.ReplicatedWriteRequest;
import org.opensearch.action.support.replication.ReplicationResponse;
import org.opensearch.core.action.ActionListener;

/** Indexes, creates or deletes one document, as a bulk of one item, as a node does. */
@SuppressWarnings("deprecation") // the parameters of a node's own handlers
final class DocumentWriteHandler<
        Q extends ReplicatedWriteRequest<Q>, R extends ReplicationResponse & WriteResponse>
    implements ActionHandler<Q, R> {
  private final BulkHandler bulks;

  DocumentWriteHandler(BulkHandler bulks) {
    this.bulks = bulks;
  }

  @Override
  public void handle(Q request, RequestContext context, ActionListener<R> listener) {
    bulks.handleDocument(
        TransportSingleItemBulkWriteAction.toSingleItemBulkRequest(request),
        context,
        TransportSingleItemBulkWriteAction.wrapBulkResponse(listener));
  }
}
