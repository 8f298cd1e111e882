package dev.weir.core.actions;

import dev.weir.cluster.IndexNameResolver;
import dev.weir.core.actions.explain.RecentRoutingDecisions;
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
   * @param recent ranks the copies of a shard, and records why
   * @param directed sends documents without an id to one shard
   * @param wayIn changes writes before they are planned
   */
  public static ActionRegistry.Builder addTo(
      ActionRegistry.Builder actions,
      CoordinationServices environment,
      IndexNameResolver names,
      RecentRoutingDecisions recent,
      SingleShardBulkRouter directed,
      WriteTransforms wayIn) {
    DocumentActionServices tools =
        new DocumentActionServices(
            environment.withSender(
                wayIn.bulkMerger().wrap(environment.sender(), environment.scheduler())),
            names,
            recent,
            new IngestPipelineResolver(),
            new IndexAutoCreation(names),
            directed,
            wayIn.keywordTruncation());
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
