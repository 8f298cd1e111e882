package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocumentShardResolver;
import dev.weir.core.actions.retry.AuthorizedBulkCall;
import dev.weir.model.PassThroughException;
import dev.weir.model.Phase;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.rest.PassThroughReasons;
import dev.weir.routing.write.WriteVolume;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.cluster.metadata.MappingMetadata;
import org.opensearch.cluster.routing.OperationRouting;
import org.opensearch.common.ValidationException;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.IndexNotFoundException;

/**
 * One index name of a bulk's items, resolved to the index that they go to, and the items by shard.
 */
final class BulkTargetIndex {
  private static final String APPENDS_ONLY_TO_DATA_STREAMS =
      "only write ops with an op_type of create are allowed in data streams";

  private final DocumentActionServices tools;
  private final ClusterView view;
  private final String name;
  private final IndexMetadata metadata;
  private final @Nullable MappingMetadata mapping;
  private final RequestPolicy policy;
  private final boolean namedDirectly;
  private final boolean inDataStream;
  private final @Nullable List<BulkItemRequest>[] byShard;
  private int chosenShard = -1;
  private boolean assignmentResolved;
  private SingleShardBulkRouter.@Nullable ShardAssignment shardAssignment;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private BulkTargetIndex(
      DocumentActionServices tools,
      ClusterView view,
      String name,
      IndexMetadata metadata,
      RequestPolicy policy) {
    this.policy = policy;
    this.tools = tools;
    this.view = view;
    this.name = name;
    this.metadata = metadata;
    this.mapping = metadata.mapping();
    Map<String, IndexAbstraction> lookup = view.state().metadata().getIndicesLookup();
    IndexAbstraction named = lookup.get(name);
    IndexAbstraction concrete = lookup.get(metadata.getIndex().getName());
    this.inDataStream = concrete != null && concrete.getParentDataStream() != null;
    this.namedDirectly =
        !inDataStream && (named == null || named.getType() == IndexAbstraction.Type.CONCRETE_INDEX);
    this.byShard = new List[metadata.getNumberOfShards()];
  }

  /**
   * Resolves the index name of an item.
   *
   * @param policy the bulk's policy
   * @throws IndexNotFoundException when there is no such index, or no write index
   */
  static BulkTargetIndex resolve(
      DocumentActionServices tools,
      ClusterView view,
      DocWriteRequest<?> request,
      RequestPolicy policy) {
    boolean includeDataStreams = request.opType() == DocWriteRequest.OpType.CREATE;
    Index concrete;
    try {
      concrete =
          tools
              .names()
              .resolver()
              .concreteWriteIndex(
                  view.state(),
                  request.indicesOptions(),
                  request.indices()[0],
                  false,
                  includeDataStreams);
    } catch (IndexNotFoundException e) {
      if (!includeDataStreams
          && e.getMetadataKeys().contains(IndexNameExpressionResolver.EXCLUDED_DATA_STREAMS_KEY)) {
        throw new IllegalArgumentException(APPENDS_ONLY_TO_DATA_STREAMS);
      }
      throw e;
    }
    IndexMetadata metadata = view.state().metadata().getIndexSafe(concrete);
    if (metadata.isSystem()) {
      throw new PassThroughException(PassThroughReasons.SYSTEM_INDEX);
    }
    return new BulkTargetIndex(tools, view, request.index(), metadata, policy);
  }

  /** The name in the items. */
  String name() {
    return name;
  }

  /** The index that they go to. */
  Index concreteIndex() {
    return metadata.getIndex();
  }

  IndexMetadata metadata() {
    return metadata;
  }

  /** The index's mapping; null when it has none. */
  @Nullable MappingMetadata mapping() {
    return mapping;
  }

  /** Whether the name is the index's own, outside of any data stream. */
  boolean isPlain() {
    return namedDirectly;
  }

  /** Why an append-only index refuses an item; null when it accepts it. */
  @Nullable ValidationException appendOnlyViolation(DocWriteRequest<?> request) {
    if (!metadata.isAppendOnlyIndex()) {
      return null;
    }
    String start = "Operation [" + request.opType() + "] is not allowed ";
    String setting = "as setting `" + IndexMetadata.INDEX_APPEND_ONLY_ENABLED_SETTING.getKey();
    String end = "` is enabled for this index: " + request.index();
    return switch (request.opType()) {
      case UPDATE, DELETE -> invalid(start + setting + end);
      case INDEX ->
          hasGeneratedId(request)
              ? null
              : invalid(start + "with a custom document id " + request.id() + " " + setting + end);
      case CREATE -> null;
    };
  }

  /** Whether the client sent no id; an earlier plan may have generated one. */
  private static boolean hasGeneratedId(DocWriteRequest<?> request) {
    return request.id() == null
        || (request instanceof IndexRequest document
            && AuthorizedBulkCall.hasGeneratedId(document));
  }

  private static ValidationException invalid(String message) {
    ValidationException invalid = new ValidationException();
    invalid.addValidationError(message);
    return invalid;
  }

  /**
   * Refuses an item that is no append to a data stream, unless it names the backing index itself.
   */
  void checkDataStream(DocWriteRequest<?> request) {
    if (inDataStream
        && !concreteIndex().getName().equals(request.index())
        && request.opType() != DocWriteRequest.OpType.CREATE) {
      throw new IllegalArgumentException(APPENDS_ONLY_TO_DATA_STREAMS);
    }
  }

  /**
   * Directs a document that has a generated id and no routing to the shard that receives such
   * documents of this bulk.
   *
   * @param amount the approximate volume of the bulk
   * @return the shard; -1 where the document's id decides
   */
  int assignShard(IndexRequest document, WriteVolume amount) {
    if (!assignmentResolved) {
      assignmentResolved = true;
      shardAssignment = tools.singleShardBulks().assign(view, metadata, name, amount, policy);
    }
    return shardAssignment == null ? -1 : shardAssignment.assign(document);
  }

  /** Ends the planning of documents. */
  void onPlanned() {
    if (shardAssignment != null) {
      shardAssignment.onPlanned();
    }
  }

  /** The number of the shard that an item goes to. */
  int shardOf(DocWriteRequest<?> request) {
    if (metadata.isAppendOnlyIndex() && metadata.bulkAdaptiveShardSelectionEnabled()) {
      if (chosenShard < 0) {
        chosenShard = chooseShard();
      }
      if (chosenShard < metadata.getNumberOfShards()) {
        return chosenShard;
      }
    }
    return OperationRouting.generateShardId(metadata, request.id(), request.routing());
  }

  /** The shard whose primary's node ranks best; the number of shards when no primary is active. */
  private int chooseShard() {
    Map<ShardCopy, Integer> shards = new LinkedHashMap<>();
    for (int shard = 0; shard < metadata.getNumberOfShards(); shard++) {
      ShardCopy primary =
          DocumentShardResolver.activePrimary(view, new ShardId(concreteIndex(), shard));
      if (primary != null) {
        shards.put(primary, shard);
      }
    }
    if (shards.isEmpty()) {
      return metadata.getNumberOfShards();
    }
    List<ShardCopy> best =
        tools.selector().forPolicy(policy).order(List.copyOf(shards.keySet()), Phase.WRITE);
    return shards.getOrDefault(best.getFirst(), metadata.getNumberOfShards());
  }

  void add(int shard, BulkItemRequest item) {
    List<BulkItemRequest> items = byShard[shard];
    if (items == null) {
      items = new ArrayList<>();
      byShard[shard] = items;
    }
    items.add(item);
  }

  /** Visits the shards that have items. */
  void forEachShard(BiConsumer<ShardId, BulkItemRequest[]> action) {
    for (int shard = 0; shard < byShard.length; shard++) {
      List<BulkItemRequest> items = byShard[shard];
      if (items != null) {
        action.accept(new ShardId(concreteIndex(), shard), items.toArray(new BulkItemRequest[0]));
      }
    }
  }
}
