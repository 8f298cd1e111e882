package dev.weir.core.reduce;

import dev.weir.core.reduce.FramedPage.ShardHits;
import dev.weir.core.reduce.SplicedResponse.Merged;
import dev.weir.protocol.ReplyFrame;
import java.io.IOException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.Reduced;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.query.QuerySearchResult;

/** The answers of the query phase. */
final class QueryResults {
  private final Reduction reduction;
  private final SearchParts parts;
  private final Executor home;
  private final AnswerReading reading;
  private @Nullable FrameHits inPlace;

  QueryResults(Reduction reduction, SearchParts parts, Executor home, AnswerReading reading) {
    this.reduction = reduction;
    this.parts = parts;
    this.home = home;
    this.reading = reading;
  }

  /** Whether the best documents of answers are read as numbers where they can be. */
  boolean takesNumbers() {
    return reduction.takesNumbers();
  }

  /** The hits of the only shard stay where they are; null if its answer has them. */
  void inPlace(@Nullable FrameHits hits) {
    inPlace = hits;
  }

  /**
   * The answer of a search of one shard, with hits that stay where they are; null if they can't.
   * Then the shard's answer has them as objects.
   */
  @Nullable Merged merge(Reduced best) throws IOException {
    FrameHits hits = inPlace;
    SearchPhaseResult answer = all().get(0);
    if (hits == null || answer == null) {
      return null;
    }
    ShardHits[] found = {new ShardHits(answer.getSearchShardTarget(), hits)};
    Merged merged = FramedMerge.of(best, found, reading::fetched);
    if (merged == null) {
      answer.fetchResult().hits(hits.read(reading.fetched(hits.count())).hits());
    }
    return merged;
  }

  /** How answers are read. */
  AnswerReading reading() {
    return reading;
  }

  /** Notes whether the shard holds a context open after it answered. */
  void noteContext(int shard, SearchPhaseResult reply) {
    QuerySearchResult query = reply.queryResult();
    boolean fetched = reply.fetchResult() != null;
    boolean kept =
        query.getContextId() != null
            && (parts.scope().request().scroll() != null || (query.hasSearchContext() && !fetched));
    if (kept) {
      parts.contexts().opened(shard, reply.getSearchShardTarget(), query.getContextId());
    } else {
      parts.contexts().gone(shard);
    }
  }

  /**
   * Holds the frame of an answer as long as something may lie in it. Documents and the texts of
   * suggestions do until the client has them; aggregations are copied when they are reduced, and
   * the shard request that came back goes out again for the fetch.
   */
  void hold(SearchPhaseResult reply, ReplyFrame frame) {
    if (reply.fetchResult() == null && reply.queryResult().suggest() == null) {
      parts.frames().holdUntilMerged(frame);
    } else {
      parts.frames().hold(frame);
    }
  }

  /** Takes an answer in; {@code taken} runs on the home, perhaps after a partial reduction. */
  void take(SearchPhaseResult reply, Runnable taken) {
    if (parts.broken().why() != null) {
      taken.run(); // nobody reads it
      return;
    }
    Thread here = Thread.currentThread();
    reduction.take(
        reply,
        () -> {
          if (Thread.currentThread().equals(here)) {
            taken.run();
          } else {
            home.execute(taken);
          }
        });
  }

  /** By shard; null where none answered. */
  AtomicArray<SearchPhaseResult> all() {
    return reduction.all();
  }

  @Nullable SearchPhaseResult of(int shard) {
    return reduction.all().get(shard);
  }

  /** Reduces them all to one; once. */
  Reduced reduce() throws Exception {
    return reduction.reduce();
  }

  /** Gives back the memory that was accounted for. */
  void close() {
    reduction.close();
  }
}
