package dev.weir.core.reduce.round;

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

/** The answers of the query phase. */
public final class QueryResults {
  private final QueryPhaseReducer reduction;
  private final SearchRoundContext parts;
  private final Executor eventLoop;
  private final AccountedReaderFactory readers;
  private @Nullable FrameHits inPlaceHits;

  public QueryResults(
      QueryPhaseReducer reduction,
      SearchRoundContext parts,
      Executor eventLoop,
      AccountedReaderFactory reading) {
    this.reduction = reduction;
    this.parts = parts;
    this.eventLoop = eventLoop;
    this.readers = reading;
  }

  /** Whether the best documents of answers are read as numbers where they can be. */
  boolean acceptsNumericDocs() {
    return reduction.acceptsNumericDocs();
  }

  /** The hits of the only shard stay where they are; null if its answer has them. */
  void inPlaceHits(@Nullable FrameHits hits) {
    inPlaceHits = hits;
  }

  /**
   * The answer of a search of one shard, with hits that stay where they are; null if they can't.
   * Then the shard's answer has them as objects.
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

  /** Collects the results and reduces them. */
  public QueryPhaseReducer reducer() {
    return reduction;
  }

  /** How answers are read. */
  AccountedReaderFactory readers() {
    return readers;
  }

  /** Notes whether the shard holds a context open after it answered. */
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
   * Holds the frame of an answer as long as something may lie in it. Documents and the texts of
   * suggestions do until the client has them; aggregations are copied when they are reduced, and
   * the shard request that came back goes out again for the fetch.
   */
  void retainFrame(SearchPhaseResult reply, ReplyFrame frame) {
    if (reply.fetchResult() == null && reply.queryResult().suggest() == null) {
      parts.frames().retainUntilMerged(frame);
    } else {
      parts.frames().retain(frame);
    }
  }

  /**
   * Takes an answer in; {@code onTaken} runs on the event loop, perhaps after a partial reduction.
   */
  void add(SearchPhaseResult reply, Runnable onTaken) {
    if (parts.memoryRejections().rejection() != null) {
      onTaken.run(); // nobody reads it
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

  /** By shard; null where none answered. */
  public AtomicArray<SearchPhaseResult> results() {
    return reduction.results();
  }

  public @Nullable SearchPhaseResult get(int shard) {
    return reduction.results().get(shard);
  }

  /** Reduces them all to one; once. */
  public ReducedResult reduce() throws Exception {
    return reduction.reduce();
  }

  /** Gives back the memory that was accounted for. */
  public void close() {
    reduction.close();
  }
}
