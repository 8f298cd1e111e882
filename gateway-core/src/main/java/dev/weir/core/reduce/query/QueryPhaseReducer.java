package dev.weir.core.reduce.query;

import org.opensearch.action.search.ReducedResult;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.search.SearchPhaseResult;

/** Collects the answers of a search's query phase, and makes one of them. */
public interface QueryPhaseReducer extends AutoCloseable {
  /** Takes an answer in; {@code next} runs at once, or after a part of them was reduced. */
  void add(SearchPhaseResult reply, Runnable next);

  /** Whether the best documents of answers may be numbers ({@code ScoredTopDocs}). */
  boolean acceptsNumericDocs();

  /** By shard; null where none answered. */
  AtomicArray<SearchPhaseResult> results();

  /** Reduces them all to one; once, on any thread. */
  ReducedResult reduce() throws Exception;

  /** Gives back the memory that was accounted for. */
  @Override
  void close();
}
