package dev.weir.core.reduce;

import org.opensearch.action.search.Reduced;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.search.SearchPhaseResult;

/** Collects the answers of a search's query phase, and makes one of them. */
interface Reduction extends AutoCloseable {
  /** Takes an answer in; {@code next} runs at once, or after a part of them was reduced. */
  void take(SearchPhaseResult reply, Runnable next);

  /** Whether the best documents of answers may be numbers ({@code ScoredDocs}). */
  boolean takesNumbers();

  /** By shard; null where none answered. */
  AtomicArray<SearchPhaseResult> all();

  /** Reduces them all to one; once, on any thread. */
  Reduced reduce() throws Exception;

  /** Gives back the memory that was accounted for. */
  @Override
  void close();
}
