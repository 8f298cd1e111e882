package dev.weir.core.actions;

import dev.weir.core.actions.ingest.IngestPipelines;
import dev.weir.core.coordinate.CoordinationServices;
import dev.weir.rest.ForwardedBulkAction;
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
   * Adds these actions to a registry.
   *
   * @param singleShardBulks sends documents without an id to one shard
   * @param transforms changes writes before they are planned
   * @param pipelines has nodes run ingest pipelines
   */
  public static ActionRegistry.Builder addTo(
      ActionRegistry.Builder actions,
      ActionServices services,
      SingleShardBulkRouter singleShardBulks,
      WriteTransforms transforms,
      IngestPipelines pipelines) {
    CoordinationServices coordination = services.coordination();
    DocumentActionServices tools =
        new DocumentActionServices(
            new ActionServices(
                coordination.withSender(
                    transforms.bulkMerger().wrap(coordination.sender(), coordination.scheduler())),
                services.names(),
                services.recentDecisions()),
            new IngestPipelineResolver(),
            pipelines,
            new IndexAutoCreation(services.names()),
            singleShardBulks,
            transforms.keywordTruncation(),
            transforms.lineBulks());
    BulkHandler bulks = new BulkHandler(tools);
    return actions
        .register(BulkAction.INSTANCE, BulkRequest.class, bulks)
        .register(ForwardedBulkAction.INSTANCE, BulkRequest.class, new ForwardedBulkHandler(tools))
        .register(
            IndexAction.INSTANCE,
            IndexRequest.class,
            new DocumentWriteHandler<IndexRequest, IndexResponse>(bulks))
        .register(
            DeleteAction.INSTANCE,
            DeleteRequest.class,
            new DocumentWriteHandler<DeleteRequest, DeleteResponse>(bulks))
        .register(UpdateAction.INSTANCE, UpdateRequest.class, new UpdateHandler(tools))
        .register(GetAction.INSTANCE, GetRequest.class, new GetHandler(tools))
        .register(MultiGetAction.INSTANCE, MultiGetRequest.class, new MultiGetHandler(tools));
  }
}
