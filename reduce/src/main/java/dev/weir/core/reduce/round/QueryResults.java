package dev.weir.core.reduce.round;

import dev.weir.core.coordinate.batch.PartialReduction;
import dev.weir.core.reduce.hits.FrameHitPage.ShardFrameHits;
import dev.weir.core.reduce.hits.FrameHits;
import dev.weir.core.reduce.memory.AccountedReaderFactory;
import dev.weir.core.reduce.query.QueryPhaseReducer;
import dev.weir.core.reduce.response.FrameHitMerger;
import dev.weir.core.reduce.response.SplicedSearchResponse.MergedResponse;
import dev.weir.protocol.ReplyFrame;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.query.QuerySearchResult;

/** The results of the query phase. */
public final class QueryResults {
  private final QueryPhaseReducer reduction;
  private final SearchRoundContext parts;
  private final Executor eventLoop;
  private final AccountedReaderFactory readers;
  private final @Nullable PartialReduction partialReduction;
  private @Nullable FrameHits inPlaceHits;
  private boolean fetchesWithQuery;

  /**
   * Starts without results.
   *
   * @param partialReduction what nodes may leave out of the results; null for nothing
   */
  public QueryResults(
      QueryPhaseReducer reduction,
      SearchRoundContext parts,
      Executor eventLoop,
      AccountedReaderFactory reading,
      @Nullable PartialReduction partialReduction) {
    this.reduction = reduction;
    this.parts = parts;
    this.eventLoop = eventLoop;
    this.readers = reading;
    this.partialReduction = partialReduction;
  }

  /**
   * Decides whether the only queried one of several shards returns its documents with the query
   * result.
   *
   * @param queried the number of shards that are queried
   */
  public void planFetch(int queried) {
    fetchesWithQuery = FetchWithQueryPlanner.canFetchWithQuery(parts.scope(), queried);
  }

  /** Returns whether the only queried one of several shards returns its documents at once. */
  boolean fetchesWithQuery() {
    return fetchesWithQuery;
  }

  /** Returns whether documents are fetched after the query. */
  public boolean fetchesSeparately() {
    if (parts.scope().shards().size() > 1) {
      return !fetchesWithQuery;
    }
    SearchPhaseResult only = get(0);
    return only != null && only.fetchResult() == null;
  }

  /** Returns what nodes may leave out of the results; null for nothing. */
  @Nullable PartialReduction partialReduction() {
    return fetchesWithQuery ? null : partialReduction;
  }

  /** Returns whether to read top documents as numbers where possible. */
  boolean acceptsNumericDocs() {
    return reduction.acceptsNumericDocs();
  }

  /**
   * Sets the hits of the only queried shard, which stay in its frame; null if the result has them
   * as objects.
   */
  void inPlaceHits(@Nullable FrameHits hits) {
    inPlaceHits = hits;
  }

  /**
   * Returns the response with the hits of the only queried shard in its reply frame; null if they
   * cannot stay there. In that case the shard's result has them as objects.
   */
  public @Nullable MergedResponse mergeInPlace(ReducedResult best) throws IOException {
    FrameHits hits = inPlaceHits;
    SearchPhaseResult answer = results().get(0);
    if (hits == null || answer == null) {
      return null;
    }
    ShardFrameHits[] found = {new ShardFrameHits(answer.getSearchShardTarget(), hits)};
    MergedResponse merged = FrameHitMerger.merge(best, found, readers::fetchResultReader);
    if (merged == null) {
      answer.fetchResult().hits(hits.materialize(readers.fetchResultReader(hits.count())).hits());
    }
    return merged;
  }

  /** Returns the reducer that collects the results. */
  public QueryPhaseReducer reducer() {
    return reduction;
  }

  /** Returns the readers of the results. */
  AccountedReaderFactory readers() {
    return readers;
  }

  /** Records whether the shard keeps a search context open after its query result. */
  void recordContext(int shard, SearchPhaseResult reply) {
    QuerySearchResult query = reply.queryResult();
    boolean fetched = reply.fetchResult() != null;
    boolean kept =
        query.getContextId() != null
            && (parts.scope().request().scroll() != null || (query.hasSearchContext() && !fetched));
    if (kept) {
      parts.contexts().recordOpened(shard, reply.getSearchShardTarget(), query.getContextId());
    } else {
      parts.contexts().forget(shard);
    }
  }

  /**
   * Retains the reply frame as long as results refer to it: documents and suggestions until the
   * client has them. Aggregations are copied during the reduction, and the echoed shard request is
   * sent back in the fetch phase.
   */
  void retainFrame(SearchPhaseResult reply, ReplyFrame frame) {
    if (reply.fetchResult() == null && reply.queryResult().suggest() == null) {
      parts.frames().retainUntilMerged(frame);
    } else {
      parts.frames().retain(frame);
    }
  }

  /** Adds a result. {@code onTaken} runs on the event loop, possibly after a partial reduction. */
  void add(SearchPhaseResult reply, Runnable onTaken) {
    if (parts.memoryRejections().rejection() != null) {
      onTaken.run(); // the search has ended
      return;
    }
    Thread here = Thread.currentThread();
    reduction.add(
        reply,
        () -> {
          if (Thread.currentThread().equals(here)) {
            onTaken.run();
          } else {
            eventLoop.execute(onTaken);
          }
        });
  }

  /** Returns the results by shard; null for a shard that did not answer. */
  public AtomicArray<SearchPhaseResult> results() {
    return reduction.results();
  }

  public @Nullable SearchPhaseResult get(int shard) {
    return reduction.results().get(shard);
  }

  /** Reduces all results to one. Called once. */
  public ReducedResult reduce() throws Exception {
    return reduction.reduce();
  }

  /** Releases the accounted memory. */
  public void close() {
    reduction.close();
  }
}
