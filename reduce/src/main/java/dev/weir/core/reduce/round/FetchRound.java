package dev.weir.core.reduce.round;

import dev.weir.core.reduce.columns.ColumnFetch;
import dev.weir.core.reduce.columns.ColumnPage;
import dev.weir.core.reduce.columns.ColumnPage.FetchedShard;
import dev.weir.core.reduce.columns.ColumnReplies;
import dev.weir.core.reduce.hits.FetchResultReader;
import dev.weir.core.reduce.hits.FrameHitPage.ShardFrameHits;
import dev.weir.core.reduce.hits.FrameHits;
import dev.weir.core.reduce.memory.AccountedReaderFactory;
import dev.weir.core.reduce.response.FrameHitMerger;
import dev.weir.core.reduce.response.ShardFailures;
import dev.weir.core.reduce.response.SplicedSearchResponse.MergedResponse;
import dev.weir.protocol.NodeCall;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.SearchShardTarget;
import org.opensearch.search.dfs.AggregatedDfs;
import org.opensearch.search.fetch.FetchSearchResult;
import org.opensearch.search.fetch.ShardFetchSearchRequest;
import org.opensearch.transport.TransportRequest;

/** Fetches the top documents of a search. */
public final class FetchRound extends BaseFetchRound {
  private final SearchRoundContext parts;
  private final ShardFailures failures;
  private final QueryResults queryResults;
  private final @Nullable AggregatedDfs statistics;
  private final @Nullable FetchResultReader[] readers;
  private final boolean canKeepInFrames;
  private final @Nullable ColumnFetch columnFetch;
  private final @Nullable ColumnReplies columnReplies;

  /**
   * Creates a round.
   *
   * @param statistics the term statistics of a dfs search; null for others
   * @param columns how nodes return columns in place of hits; null if none does
   */
  public FetchRound(
      SearchRoundContext parts,
      ShardFailures failures,
      QueryResults queried,
      List<ShardDocs> wanted,
      @Nullable AggregatedDfs statistics,
      @Nullable ColumnFetch columns) {
    super(wanted, parts.scope().shards().size(), parts.frames());
    this.parts = parts;
    this.failures = failures;
    this.queryResults = queried;
    this.statistics = statistics;
    this.readers = new FetchResultReader[wanted.size()];
    this.canKeepInFrames = !hasScroll();
    this.columnFetch = columns;
    this.columnReplies =
        columns == null ? null : new ColumnReplies(wanted.size(), columns.counts());
  }

  @Override
  public NodeCall<FetchSearchResult> createCall(int call) {
    ShardDocs docs = docs(call);
    SearchPhaseResult query = queryResult(docs.shard());
    BytesReference echo = parts.echoes().get(docs.shard());
    TransportRequest request =
        echo != null
            ? new SplicedFetchRequest(
                query.queryResult().getContextId(),
                docs.docs(),
                target(call).getOriginalIndices(),
                echo)
            : new ShardFetchSearchRequest(
                target(call).getOriginalIndices(),
                query.queryResult().getContextId(),
                query.getShardSearchRequest(),
                docs.docs(),
                docs.lastEmitted(),
                query.getRescoreDocIds(),
                statistics);
    SearchCaller caller = parts.caller().forNode(nodeId(call));
    ColumnFetch columns = columnFetch;
    ColumnReplies replies = columnReplies;
    if (columns != null && replies != null && columns.isSupported().test(nodeId(call))) {
      return caller.createChildCall(
          ColumnFetch.ACTION,
          columns.toColumnRequest(request),
          createColumnReader(call, query, replies));
    }
    return caller.createChildCall(
        SearchTransportService.FETCH_ID_ACTION_NAME, request, createReader(call));
  }

  private Writeable.Reader<FetchSearchResult> createColumnReader(
      int call, SearchPhaseResult query, ColumnReplies replies) {
    int documents = docs(call).docs().size();
    return queryResults
        .readers()
        .hitsReader(
            "columns",
            documents,
            replies.createReader(call, query.queryResult().getContextId(), documents));
  }

  private Writeable.Reader<FetchSearchResult> createReader(int call) {
    if (!canKeepInFrames) {
      return queryResults.readers().fetchResultReader(docs(call).docs().size());
    }
    FetchResultReader reader = new FetchResultReader();
    readers[call] = reader;
    return queryResults
        .readers()
        .hitsReader(AccountedReaderFactory.IN_PLACE_HITS_KIND, docs(call).docs().size(), reader);
  }

  /**
   * Returns the response with its hits in the reply frames; null if they cannot stay there. In that
   * case all fetch results have their hits as objects.
   */
  public @Nullable MergedResponse mergeInPlace(ReducedResult best) throws IOException {
    MergedResponse columns = columnFetch == null ? null : mergeColumns(best);
    if (columns != null) {
      return columns;
    }
    @Nullable ShardFrameHits[] found = canKeepInFrames ? inPlaceHits() : null;
    MergedResponse merged =
        found == null
            ? null
            : FrameHitMerger.merge(best, found, queryResults.readers()::fetchResultReader);
    if (merged == null) {
      materializeAll();
    }
    return merged;
  }

  /** Returns the response with its documents as columns; null if a shard returned hits. */
  private @Nullable MergedResponse mergeColumns(ReducedResult best) {
    @Nullable FetchedShard[] found = new FetchedShard[results().length()];
    for (int call = 0; call < callCount(); call++) {
      int shard = docs(call).shard();
      found[shard] = columnsOf(call);
      if (found[shard] == null && results().get(shard) != null) {
        return null;
      }
    }
    ColumnPage page = ColumnReplies.pageOf(best, found);
    return page == null ? null : MergedResponse.ofColumns(best, page);
  }

  private @Nullable FetchedShard columnsOf(int call) {
    return columnReplies == null
        ? null
        : columnReplies.columnsOf(call, results().get(docs(call).shard()), target(call));
  }

  /** Returns the hits by shard; null if the hits of any shard cannot stay in the frame. */
  private @Nullable ShardFrameHits @Nullable [] inPlaceHits() {
    @Nullable ShardFrameHits[] found = new ShardFrameHits[results().length()];
    for (int call = 0; call < callCount(); call++) {
      int shard = docs(call).shard();
      FrameHits hits = hitsOf(call);
      if (hits != null) {
        found[shard] = new ShardFrameHits(target(call), hits);
      } else if (results().get(shard) != null) {
        return null;
      }
    }
    return found;
  }

  /** Creates objects for all hits that lie in frames, and for all columns. */
  private void materializeAll() throws IOException {
    for (int call = 0; call < callCount(); call++) {
      FrameHits hits = hitsOf(call);
      FetchSearchResult answer = results().get(docs(call).shard());
      FetchedShard columns = columnsOf(call);
      if (columns != null && answer != null) {
        answer.hits(columns.toHits());
      }
      if (hits != null && answer != null) {
        answer.hits(
            hits.materialize(queryResults.readers().fetchResultReader(hits.count())).hits());
      }
    }
  }

  private @Nullable FrameHits hitsOf(int call) {
    FetchResultReader reader = readers[call];
    FetchSearchResult answer = results().get(docs(call).shard());
    return reader == null || answer == null ? null : reader.hitsIfDeferred(answer);
  }

  @Override
  void onFetched(int shard) {
    if (!hasScroll()) {
      parts.contexts().forget(shard);
    }
  }

  @Override
  public boolean canStartOver() {
    return parts.canStartOver();
  }

  @Override
  public boolean canStartOverOn(int ordinal, String nodeId) {
    return parts.canStartOverOn(ordinal, nodeId);
  }

  @Override
  public boolean isContextLost(Exception failure) {
    return parts.canStartOver() && BaseShardRound.isContextLost(failure);
  }

  @Override
  public boolean onFailure(int call, Exception failure) {
    parts.memoryRejections().inspect(failure);
    int shard = docs(call).shard();
    if (!hasScroll()) {
      parts.contexts().discard(shard);
    }
    return failures.add(shard, target(call), BaseShardRound.unwrapRemote(failure));
  }

  private boolean hasScroll() {
    return parts.scope().request().scroll() != null;
  }

  private SearchPhaseResult queryResult(int shard) {
    SearchPhaseResult query = queryResults.get(shard);
    if (query == null) {
      throw new IllegalStateException(
          "got documents of shard " + shard + ", which did not answer (expected: one that did)");
    }
    return query;
  }

  @Override
  public SearchShardTarget queriedTarget(int shard) {
    return queryResult(shard).getSearchShardTarget();
  }
}
