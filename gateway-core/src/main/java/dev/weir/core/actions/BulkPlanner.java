package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.core.reduce.items.BulkResponseCollector;
import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.routing.write.WriteVolume;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchParseException;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.RoutingMissingException;
import org.opensearch.action.bulk.BulkInternals;
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
 * Groups the items of a bulk by shard, by one view, in the order and with the errors of
 * OpenSearch's {@code TransportBulkAction.BulkOperation}. Used once.
 */
final class BulkPlanner {
  private final DocumentActionServices tools;
  private final BulkWork work;
  private final ClusterView view;
  private final Metadata metadata;
  private final Map<String, IndexNotFoundException> notCreatable;
  private final Map<MissingIndex, Exception> missingIndexFailures = new HashMap<>(0);
  private final Map<String, BulkTargetIndex> indices = new HashMap<>();
  private final List<BulkTargetIndex> indicesInOrder = new ArrayList<>(2);
  private final WriteVolume amount;
  private @Nullable BulkTargetIndex lastIndex;

  /** What decides whether an item finds its index. */
  private record MissingIndex(
      String name, DocWriteRequest.OpType operation, boolean requiresAlias) {
    static MissingIndex of(DocWriteRequest<?> request) {
      return new MissingIndex(request.index(), request.opType(), request.isRequireAlias());
    }
  }

  BulkPlanner(
      DocumentActionServices tools,
      BulkWork work,
      ClusterView view,
      Map<String, IndexNotFoundException> forbidden) {
    this.tools = tools;
    this.work = work;
    this.view = view;
    this.metadata = view.state().metadata();
    this.notCreatable = forbidden;
    this.amount = new WriteVolume(work.items().size(), work.bulk().estimatedSizeInBytes());
  }

  /**
   * Plans the items.
   *
   * @param cautious stop at the first item whose index the view lacks, without failing it or any
   *     item after it
   * @return false when it stopped
   */
  boolean plan(boolean cautious) {
    boolean whole = planAll(cautious);
    indicesInOrder.forEach(
        BulkTargetIndex::onPlanned); // assigned ids stay, also when planning stops
    return whole;
  }

  private boolean planAll(boolean cautious) {
    BulkResponseCollector items = work.items();
    for (int slot = 0; slot < items.size(); slot++) {
      if (items.hasResponse(slot)) {
        continue;
      }
      DocWriteRequest<?> request = items.request(slot);
      Exception absent = sharedMissingIndexFailure(request);
      if (absent != null) {
        if (cautious) {
          return false;
        }
        items.fail(slot, request.index(), absent);
        continue;
      }
      BulkTargetIndex index = resolve(request);
      ValidationException refused = index.appendOnlyViolation(request);
      if (refused != null) {
        items.fail(slot, request.index(), shorten(refused));
        continue;
      }
      try {
        work.truncation().truncate(slot, request, index.name(), index.metadata());
        index.add(resolveShard(request, index), new BulkItemRequest(slot, request));
      } catch (OpenSearchParseException
          | IllegalArgumentException
          | RoutingMissingException refusal) {
        items.fail(slot, index.concreteIndex().getName(), shorten(refusal));
      }
    }
    return true;
  }

  /** One operation for each shard. */
  List<BulkShardOperation> operations() {
    List<BulkShardOperation> parts = new ArrayList<>();
    for (BulkTargetIndex index : indicesInOrder) {
      index.forEachShard((shard, shardItems) ->
          parts.add(new BulkShardOperation(work, shard, shardItems, view.routingVersion())));
    }
    return parts;
  }

  /** Makes the failure of one of many items small. */
  private Exception shorten(Exception failure) {
    return work.items().size() < StacklessFailure.MIN_FAILURES
        ? failure
        : StacklessFailure.of(failure);
  }

  /** Returns the failure of items without an index, which all that name the same share. */
  private @Nullable Exception sharedMissingIndexFailure(DocWriteRequest<?> request) {
    MissingIndex key = missingIndexFailures.isEmpty() ? null : MissingIndex.of(request);
    Exception known = key == null ? null : missingIndexFailures.get(key);
    if (known != null) {
      return known;
    }
    Exception failure = missingIndexFailure(request);
    if (!(failure instanceof IndexNotFoundException)) {
      return failure == null ? null : shorten(failure);
    }
    Exception shared = shorten(failure);
    missingIndexFailures.put(MissingIndex.of(request), shared);
    return shared;
  }

  private @Nullable Exception missingIndexFailure(DocWriteRequest<?> request) {
    if (request.isRequireAlias() && !metadata.hasAlias(request.index())) {
      return new IndexNotFoundException(
          "["
              + DocWriteRequest.REQUIRE_ALIAS
              + "] request flag is [true] and ["
              + request.index()
              + "] is not an alias",
          request.index());
    }
    if (!notCreatable.isEmpty()) {
      IndexNotFoundException cannotBeCreated = notCreatable.get(request.index());
      if (cannotBeCreated != null) {
        return cannotBeCreated;
      }
    }
    try {
      BulkTargetIndex index = resolve(request);
      return index.metadata().getState() == IndexMetadata.State.CLOSE
          ? new IndexClosedException(index.concreteIndex())
          : null;
    } catch (IndexClosedException | IndexNotFoundException | IllegalArgumentException e) {
      return e;
    }
  }

  private BulkTargetIndex resolve(DocWriteRequest<?> request) {
    BulkTargetIndex latest = lastIndex;
    if (latest != null && latest.name().equals(request.index())) {
      return latest;
    }
    BulkTargetIndex index = indices.get(request.index());
    if (index == null) {
      index = BulkTargetIndex.resolve(tools, view, request, work.context().resources().policy());
      indices.put(request.index(), index);
      indicesInOrder.add(index);
    }
    lastIndex = index;
    return index;
  }

  /** Resolves routing and id; returns the shard's number. */
  private int resolveShard(DocWriteRequest<?> request, BulkTargetIndex index) {
    index.checkDataStream(request);
    switch (request) {
      case IndexRequest document -> {
        boolean anyShard = document.id() == null;
        if (!index.isPlain()) {
          BulkInternals.prohibitAppendsToBackingIndex(document, metadata);
          BulkInternals.prohibitRoutingOnDataStream(document, metadata);
          document.resolveRouting(metadata);
        }
        document.process(
            index.metadata().getCreationVersion(),
            index.mapping(),
            index.concreteIndex().getName());
        if (anyShard && document.routing() == null) {
          int assigned = index.assignShard(document, amount);
          if (assigned >= 0) {
            return assigned;
          }
        }
      }
      case UpdateRequest update ->
          TransportUpdateAction.resolveAndValidateRouting(
              metadata, index.concreteIndex().getName(), update);
      default -> {
        request.routing(metadata.resolveWriteIndexRouting(request.routing(), request.index()));
        if (request.routing() == null
            && metadata.routingRequired(index.concreteIndex().getName())) {
          throw new RoutingMissingException(index.concreteIndex().getName(), request.id());
        }
      }
    }
    return index.shardOf(request);
  }
}
