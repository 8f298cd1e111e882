package dev.weir.core.reduce.query;

import org.opensearch.action.search.QueryPhaseResultConsumer;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.search.SearchPhaseResult;

/** OpenSearch's own reduction, in batches as the shards' results arrive. */
public final class BatchedReducer implements QueryPhaseReducer {
  private final QueryPhaseResultConsumer consumer;

  public BatchedReducer(QueryPhaseResultConsumer consumer) {
    this.consumer = consumer;
  }

  @Override
  public void add(SearchPhaseResult reply, Runnable next) {
    consumer.consumeResult(reply, next);
  }

  @Override
  public AtomicArray<SearchPhaseResult> results() {
    return consumer.getAtomicArray();
  }

  @Override
  public boolean acceptsNumericDocs() {
    return false;
  }

  @Override
  public ReducedResult reduce() throws Exception {
    return ReducedResult.of(consumer.reduce());
  }

  @Override
  public void close() {
    consumer.close();
  }
}
