package dev.weir.gateway.reduce;

import org.opensearch.action.search.SearchPhaseController.ReducedQueryPhase;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.search.SearchPhaseResult;

/** Collects the answers of a search's query phase, and makes one of them. */
interface Reduction extends AutoCloseable {
  /** Takes an answer in; {@code next} runs at once, or after a part of them was reduced. */
  void take(SearchPhaseResult reply, Runnable next);

  /** By shard; null where none answered. */
  AtomicArray<SearchPhaseResult> all();

  /** Reduces them all to one; once, on any thread. */
  ReducedQueryPhase reduce() throws Exception;

  /** Gives back the memory that was accounted for. */
  @Override
  void close();
}
