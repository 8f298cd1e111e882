package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.core.reduce.BulkItems;
import dev.weir.routing.write.Amount;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchParseException;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.RoutingMissingException;
import org.opensearch.action.bulk.BulkDoor;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.TransportUpdateAction;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.ValidationException;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.indices.IndexClosedException;

/**
 * Puts the items of a bulk to their shards by one view, in the order and with the refusals of
 * OpenSearch's {@code TransportBulkAction.BulkOperation}. Used once.
 */
final class BulkPlanner {
  private final DocumentTools tools;
  private final BulkWork work;
  private final ClusterView view;
  private final Metadata metadata;
  private final Map<String, IndexNotFoundException> forbidden;
  private final Map<String, BulkIndex> indices = new HashMap<>();
  private final List<BulkIndex> inOrder = new ArrayList<>(2);
  private final Amount amount;
  private @Nullable BulkIndex last;

  BulkPlanner(
      DocumentTools tools,
      BulkWork work,
      ClusterView view,
      Map<String, IndexNotFoundException> forbidden) {
    this.tools = tools;
    this.work = work;
    this.view = view;
    this.metadata = view.state().metadata();
    this.forbidden = forbidden;
    this.amount = new Amount(work.items().size(), work.bulk().estimatedSizeInBytes());
  }

  /**
   * Plans.
   *
   * @param cautious stop where the view says that an index is not there, answering nothing
   * @return false when it stopped
   */
  boolean plan(boolean cautious) {
    boolean whole = planAll(cautious);
    inOrder.forEach(BulkIndex::planned); // ids that were given stay, also where it stopped
    return whole;
  }

  private boolean planAll(boolean cautious) {
    BulkItems items = work.items();
    for (int slot = 0; slot < items.size(); slot++) {
      if (items.isAnswered(slot)) {
        continue;
      }
      DocWriteRequest<?> request = items.request(slot);
      Exception absent = absence(request);
      if (absent != null) {
        if (cautious) {
          return false;
        }
        items.fail(slot, request.index(), absent);
        continue;
      }
      BulkIndex index = resolve(request);
      ValidationException refused = index.refusal(request);
      if (refused != null) {
        items.fail(slot, request.index(), refused);
        continue;
      }
      try {
        work.truncated().look(slot, request, index.name(), index.metadata());
        index.add(prepare(request, index), new BulkItemRequest(slot, request));
      } catch (OpenSearchParseException
          | IllegalArgumentException
          | RoutingMissingException refusal) {
        items.fail(slot, index.concrete().getName(), refusal);
      }
    }
    return true;
  }

  /** One part a shard. */
  List<BulkShardPart> parts() {
    List<BulkShardPart> parts = new ArrayList<>();
    for (BulkIndex index : inOrder) {
      index.forEachShard((shard, shardItems) ->
          parts.add(new BulkShardPart(work, shard, shardItems, view.state().version())));
    }
    return parts;
  }

  private @Nullable Exception absence(DocWriteRequest<?> request) {
    if (request.isRequireAlias() && !metadata.hasAlias(request.index())) {
      return new IndexNotFoundException(
          "["
              + DocWriteRequest.REQUIRE_ALIAS
              + "] request flag is [true] and ["
              + request.index()
              + "] is not an alias",
          request.index());
    }
    if (!forbidden.isEmpty()) {
      IndexNotFoundException cannotBeCreated = forbidden.get(request.index());
      if (cannotBeCreated != null) {
        return cannotBeCreated;
      }
    }
    try {
      BulkIndex index = resolve(request);
      return index.metadata().getState() == IndexMetadata.State.CLOSE
          ? new IndexClosedException(index.concrete())
          : null;
    } catch (IndexClosedException | IndexNotFoundException | IllegalArgumentException e) {
      return e;
    }
  }

  private BulkIndex resolve(DocWriteRequest<?> request) {
    BulkIndex latest = last;
    if (latest != null && latest.name().equals(request.index())) {
      return latest;
    }
    BulkIndex index = indices.get(request.index());
    if (index == null) {
      index = BulkIndex.resolve(tools, view, request, work.context().policy());
      indices.put(request.index(), index);
      inOrder.add(index);
    }
    last = index;
    return index;
  }

  /** Resolves routing and id; returns the shard's number. */
  private int prepare(DocWriteRequest<?> request, BulkIndex index) {
    index.checkDataStream(request);
    switch (request) {
      case IndexRequest document -> {
        boolean anyShard = document.id() == null;
        if (!index.isPlain()) {
          BulkDoor.prohibitAppendsToBackingIndex(document, metadata);
          BulkDoor.prohibitRoutingOnDataStream(document, metadata);
          document.resolveRouting(metadata);
        }
        document.process(
            index.metadata().getCreationVersion(),
            index.metadata().mapping(),
            index.concrete().getName());
        if (anyShard && document.routing() == null) {
          int directed = index.direct(document, amount);
          if (directed >= 0) {
            return directed;
          }
        }
      }
      case UpdateRequest update ->
          TransportUpdateAction.resolveAndValidateRouting(
              metadata, index.concrete().getName(), update);
      default -> {
        request.routing(metadata.resolveWriteIndexRouting(request.routing(), request.index()));
        if (request.routing() == null && metadata.routingRequired(index.concrete().getName())) {
          throw new RoutingMissingException(index.concrete().getName(), request.id());
        }
      }
    }
    return index.shardOf(request);
  }
}
