package dev.weir.core.reduce.query;

import org.opensearch.action.search.ReducedResult;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.search.SearchPhaseResult;

/** Collects the shards' results of a search's query phase and reduces them to one. */
public interface QueryPhaseReducer extends AutoCloseable {
  /** Adds a shard's result. {@code next} runs at once, or after a partial reduction. */
  void add(SearchPhaseResult reply, Runnable next);

  /** Returns whether results may have their top documents as numbers ({@code ScoredTopDocs}). */
  boolean acceptsNumericDocs();

  /** Returns the results by shard; null for a shard that did not answer. */
  AtomicArray<SearchPhaseResult> results();

  /** Reduces all results to one. Called once, on any thread. */
  ReducedResult reduce() throws Exception;

  /** Releases the accounted memory. */
  @Override
  void close();
}
