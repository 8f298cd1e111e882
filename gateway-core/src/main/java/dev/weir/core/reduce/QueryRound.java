package dev.weir.core.reduce;

import dev.weir.model.Work;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.BottomSort;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchService;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.QueryFetchSearchResult;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.search.query.QuerySearchResult;

/** Queries every shard; a search of one shard fetches in the same round trip. */
final class QueryRound extends SearchRound<SearchPhaseResult> {
  private final QueryResults results;
  private final LongSupplier wallMillis;
  private final @Nullable Reading[] readers;
  private final @Nullable BottomSort bottom;
  private final Work work;

  /** Who reads the answer of a shard's copy; two may be under way. */
  private record Reading(
      String nodeId,
      QueryReply reader,
      @Nullable QueryFetchReply fetched,
      @Nullable Reading before) {}

  /**
   * Makes a round.
   *
   * @param wallMillis the time of day
   */
  QueryRound(
      SearchParts parts,
      List<Integer> ordinals,
      ShardFailures failures,
      QueryResults results,
      LongSupplier wallMillis) {
    super("query", parts, ordinals, failures);
    this.results = results;
    this.wallMillis = wallMillis;
    this.work = QueryWork.of(parts.scope().request(), parts.scope().shards().size());
    this.readers = new Reading[ordinals.size()];
    // scrolls keep track of their last document shard by shard
    this.bottom =
        parts.scope().request().scroll() == null ? new BottomSort(parts.scope().request()) : null;
  }

  @Override
  NodeCall<SearchPhaseResult> call(int shard, String nodeId, SearchCaller caller) {
    checkNode(nodeId);
    ShardSearchRequest request = parts().requests().make(ordinal(shard));
    if (bottom != null) {
      bottom.tell(request);
    }
    request.setInboundNetworkTime(wallMillis.getAsLong());
    Writeable.Reader<SearchPhaseResult> reader = reader(shard, nodeId, request);
    return caller.child(
        SearchTransportService.QUERY_ACTION_NAME,
        parts().requests().toSend(ordinal(shard), request),
        reader);
  }

  @Override
  OpenContexts.Stands contextStands() {
    return OpenContexts.Stands.BEHIND_FLAG;
  }

  private Writeable.Reader<SearchPhaseResult> reader(
      int shard, String nodeId, ShardSearchRequest request) {
    boolean fetches = request.numberOfShards() == 1;
    if (parts().echoes().kept() || (fetches && parts().echoes().plain())) {
      QueryReply reader =
          new QueryReply(results.reading().aggregations(), results.takesNumbers(), fetches);
      QueryFetchReply fetched = fetches ? new QueryFetchReply(reader) : null;
      readers[shard] = new Reading(nodeId, reader, fetched, readers[shard]);
      return fetched == null
          ? results.reading().hits(kind(request), size(request), reader::read)
          : results.reading().hits(AnswerReading.IN_PLACE, size(request), fetched);
    }
    return results
        .reading()
        .hits(
            fetches ? "hits" : kind(request),
            size(request),
            results
                .reading()
                .whole(fetches ? QueryFetchSearchResult::new : QuerySearchResult::new));
  }

  /** Best documents of a shard, by what takes part in their answer. */
  private static String kind(ShardSearchRequest request) {
    SearchSourceBuilder source = request.source();
    boolean sorted = source != null && source.sorts() != null && !source.sorts().isEmpty();
    boolean more = source != null && source.aggregations() != null;
    return (sorted ? "sorted documents" : "documents") + (more ? " and aggregations" : "");
  }

  private static int size(ShardSearchRequest request) {
    SearchSourceBuilder source = request.source();
    return source == null || source.size() < 0
        ? SearchService.DEFAULT_SIZE
        : source.size() + Math.max(0, source.from());
  }

  @Override
  public Work work() {
    return work;
  }

  @Override
  public boolean waits() {
    return true;
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
  public void reply(
      int shard, String nodeId, SearchPhaseResult reply, ReplyFrame frame, Runnable consumed) {
    identify(shard, nodeId, reply);
    NetworkTimes.measure(reply, wallMillis.getAsLong());
    QuerySearchResult query = reply.queryResult();
    if (bottom != null) {
      bottom.take(query);
    }
    parts().requests().answered();
    results.hold(reply, frame);
    for (Reading one = readers[shard]; one != null; one = one.before()) {
      if (one.nodeId().equals(nodeId)) {
        parts().echoes().put(shard, one.reader().echo());
        if (one.fetched() != null) {
          results.inPlace(one.fetched().hitsOf(reply.fetchResult()));
        }
        break;
      }
    }
    results.noteContext(shard, reply);
    results.take(
        reply,
        () -> {
          succeeded(shard);
          consumed.run();
        });
  }
}
