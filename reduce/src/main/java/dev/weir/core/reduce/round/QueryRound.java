package dev.weir.core.reduce.round;

import dev.weir.core.coordinate.batch.PartialReduction;
import dev.weir.core.reduce.columns.ColumnFetch;
import dev.weir.core.reduce.hits.QueryFetchResultReader;
import dev.weir.core.reduce.hits.QueryResultReader;
import dev.weir.core.reduce.memory.AccountedReaderFactory;
import dev.weir.core.reduce.response.ShardFailures;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.BottomSortTracker;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchService;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.QueryFetchSearchResult;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.search.query.QuerySearchResult;
import org.opensearch.transport.TransportRequest;

/** Queries every shard. Where only one shard is queried, it may fetch in the same round trip. */
public final class QueryRound extends BaseShardRound<SearchPhaseResult> {
  private final QueryResults results;
  private static final int MAX_QUEUED_SOURCE_BYTES = 16 << 10;

  private final LongSupplier wallMillis;
  private final @Nullable PendingRead[] readers;
  private final @Nullable BottomSortTracker bottomSort;
  private final @Nullable ColumnFetch columnFetch;

  /** A pending read of a shard's result. A hedged shard has two of them. */
  private record PendingRead(
      String nodeId,
      QueryResultReader reader,
      @Nullable QueryFetchResultReader fetchReader,
      @Nullable PendingRead previous) {}

  /**
   * Creates a round.
   *
   * @param wallMillis the wall clock, milliseconds since the epoch
   * @param columns how nodes return columns in place of hits; null if none does
   */
  public QueryRound(
      SearchRoundContext parts,
      List<Integer> ordinals,
      ShardFailures failures,
      QueryResults results,
      LongSupplier wallMillis,
      @Nullable ColumnFetch columns) {
    super("query", parts, ordinals, failures);
    this.results = results;
    this.wallMillis = wallMillis;
    this.columnFetch = columns;
    this.readers = new PendingRead[ordinals.size()];
    // scrolls keep the last document of each shard
    this.bottomSort =
        parts.scope().request().scroll() == null
            ? new BottomSortTracker(
                parts.scope().request(), leavesOutSortedHits(parts.scope().request(), results))
            : null;
  }

  /** With scores, a shard that is skipped would not count for the best score. */
  private static boolean leavesOutSortedHits(SearchRequest request, QueryResults results) {
    PartialReduction reduction = results.partialReduction();
    return reduction != null
        && reduction.parts().contains(PartialReduction.Part.HITS_BY_FIELDS)
        && !request.source().trackScores();
  }

  @Override
  public NodeCall<SearchPhaseResult> createCall(int shard, String nodeId, SearchCaller caller) {
    checkNode(nodeId);
    ShardSearchRequest request =
        parts().shardRequests().create(ordinalOf(shard), shardsFor(nodeId));
    if (bottomSort != null) {
      bottomSort.applyTo(request);
    }
    request.setInboundNetworkTime(wallMillis.getAsLong());
    Writeable.Reader<SearchPhaseResult> reader = createReader(shard, nodeId, request);
    return caller.createChildCall(
        SearchTransportService.QUERY_ACTION_NAME,
        reducible(
            parts().shardRequests().toWireRequest(ordinalOf(shard), request),
            shard,
            nodeId,
            caller),
        reader);
  }

  /** Lets the node reduce the result with those of other shards, if the search allows it. */
  private TransportRequest reducible(
      TransportRequest request, int shard, String nodeId, SearchCaller caller) {
    PartialReduction reduction = results.partialReduction();
    if (reduction == null) {
      return request;
    }
    OriginalIndices indices = parts().shardRequests().scopeOf(ordinalOf(shard)).indices();
    return new ReducibleShardRequest(
        request,
        reduction,
        shard,
        reply -> SearchContextTracker.orphanedContext(caller, nodeId, indices, reply));
  }

  /** Returns how many shards a node takes the search to have. */
  private int shardsFor(String nodeId) {
    if (results.fetchesWithQuery()) {
      return 1;
    }
    int shards = parts().scope().shards().size();
    return shards == 1
            && columnFetch != null
            && columnFetch.isSeparate(parts().scope().request().source(), nodeId)
        ? 2
        : shards;
  }

  @Override
  SearchContextTracker.ContextIdPosition contextIdPosition() {
    return SearchContextTracker.ContextIdPosition.AFTER_FLAG;
  }

  private Writeable.Reader<SearchPhaseResult> createReader(
      int shard, String nodeId, ShardSearchRequest request) {
    boolean fetches = request.numberOfShards() == 1;
    String documents = costKind(request.source());
    int count = hitCount(request.source());
    if (parts().echoes().isRetained() || (fetches && parts().echoes().isRedundantAfterFetch())) {
      QueryResultReader reader =
          new QueryResultReader(
              results.readers().aggregationsReader(),
              results.acceptsNumericDocs(),
              fetches ? parts().shardRequests().echoSkipper(request) : null);
      QueryFetchResultReader fetched = fetches ? new QueryFetchResultReader(reader) : null;
      readers[shard] = new PendingRead(nodeId, reader, fetched, readers[shard]);
      return fetched == null
          ? results.readers().hitsReader(documents, count, reader::read)
          : results.readers().hitsReader(AccountedReaderFactory.IN_PLACE_HITS_KIND, count, fetched);
    }
    return results
        .readers()
        .hitsReader(
            fetches ? "hits" : documents,
            count,
            results
                .readers()
                .delayedAggregationsReader(
                    fetches ? QueryFetchSearchResult::new : QuerySearchResult::new));
  }

  /** Returns the kind under which the cost of a shard's top documents is learned. */
  static String costKind(@Nullable SearchSourceBuilder source) {
    boolean sorted = source != null && source.sorts() != null && !source.sorts().isEmpty();
    boolean more = source != null && source.aggregations() != null;
    if (more) {
      return sorted ? "sorted documents and aggregations" : "documents and aggregations";
    }
    return sorted ? "sorted documents" : "documents";
  }

  /** Returns how many top documents a shard returns at most. */
  static int hitCount(@Nullable SearchSourceBuilder source) {
    return source == null || source.size() < 0
        ? SearchService.DEFAULT_SIZE
        : source.size() + Math.max(0, source.from());
  }

  @Override
  public NodeCallType callType() {
    return results.fetchesWithQuery()
        ? SearchCallTypeClassifier.perShard(parts().scope().request(), 1)
        : parts().scope().work();
  }

  @Override
  public boolean canQueue() {
    return true;
  }

  /**
   * Returns true unless later shards can skip documents that sort after those of earlier ones, or
   * the search is so large that its copies for all shards of a node would fill a message.
   */
  @Override
  public boolean canQueueOnNode() {
    if (parts().shardRequests().sourceBytes() > MAX_QUEUED_SOURCE_BYTES) {
      return false;
    }
    SearchSourceBuilder source = parts().scope().request().source();
    return bottomSort == null
        || source == null
        || source.sorts() == null
        || source.sorts().isEmpty();
  }

  @Override
  public int queueSize(SearchPhaseResult reply) {
    return reply.queryResult().nodeQueueSize();
  }

  @Override
  public long serviceTimeNanos(SearchPhaseResult reply) {
    return reply.queryResult().serviceTimeEWMA();
  }

  @Override
  public void onReply(
      int shard, String nodeId, SearchPhaseResult reply, ReplyFrame frame, Runnable consumed) {
    setShard(shard, nodeId, reply);
    NetworkTimeRecorder.recordNetworkTime(reply, wallMillis.getAsLong());
    QuerySearchResult query = reply.queryResult();
    if (bottomSort != null) {
      bottomSort.collect(query);
    }
    parts().shardRequests().onShardResponse();
    results.retainFrame(reply, frame);
    for (PendingRead one = readers[shard]; one != null; one = one.previous()) {
      if (one.nodeId().equals(nodeId)) {
        parts().echoes().put(shard, one.reader().echo());
        if (one.fetchReader() != null) {
          results.inPlaceHits(one.fetchReader().hitsIfDeferred(reply.fetchResult()));
        }
        break;
      }
    }
    results.recordContext(shard, reply);
    results.add(
        reply,
        () -> {
          onSuccess(shard);
          consumed.run();
        });
  }
}
