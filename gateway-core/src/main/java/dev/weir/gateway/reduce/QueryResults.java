package dev.weir.gateway.reduce;

import dev.weir.protocol.ReplyFrame;
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
