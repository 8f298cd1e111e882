package dev.weir.core.actions;

import dev.weir.core.actions.explain.RecentChoices;
import dev.weir.cluster.IndexNames;
import dev.weir.core.coordinate.Environment;
import dev.weir.rest.NodeBulkAction;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.delete.DeleteAction;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.delete.DeleteResponse;
import org.opensearch.action.get.GetAction;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.get.MultiGetAction;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.index.IndexAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.update.UpdateAction;
import org.opensearch.action.update.UpdateRequest;

/** The actions on documents: index, delete, update, get, multi-get and bulk. */
public final class DocumentActions {
  private DocumentActions() {}

  /**
   * Adds them.
   *
   * @param recent orders the copies of a shard, and keeps why
   * @param directed sends documents without an id to one shard
   * @param wayIn what becomes of writes on their way in
   */
  public static Actions.Builder addTo(
      Actions.Builder actions,
      Environment environment,
      IndexNames names,
      RecentChoices recent,
      DirectedBulks directed,
      WayIn wayIn) {
    DocumentTools tools =
        new DocumentTools(
            environment.withSender(
                wayIn.merging().over(environment.sender(), environment.delays())),
            names,
            recent,
            new WritePipelines(),
            new WriteAutoCreate(names),
            directed,
            wayIn.truncation());
    BulkHandler bulks = new BulkHandler(tools);
    return actions
        .with(BulkAction.INSTANCE, BulkRequest.class, bulks)
        .with(NodeBulkAction.INSTANCE, BulkRequest.class, new NodeBulkHandler(tools))
        .with(
            IndexAction.INSTANCE,
            IndexRequest.class,
            new DocumentWriteHandler<IndexRequest, IndexResponse>(bulks))
        .with(
            DeleteAction.INSTANCE,
            DeleteRequest.class,
            new DocumentWriteHandler<DeleteRequest, DeleteResponse>(bulks))
        .with(UpdateAction.INSTANCE, UpdateRequest.class, new UpdateHandler(tools))
        .with(GetAction.INSTANCE, GetRequest.class, new GetHandler(tools))
        .with(MultiGetAction.INSTANCE, MultiGetRequest.class, new MultiGetHandler(tools));
  }
}
