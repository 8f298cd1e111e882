package dev.weir.core.reduce;

import org.opensearch.action.search.QueryPhaseResultConsumer;
import org.opensearch.action.search.Reduced;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.search.SearchPhaseResult;

/** OpenSearch's own reduction, in batches as answers come in. */
final class BatchedReduction implements Reduction {
  private final QueryPhaseResultConsumer consumer;

  BatchedReduction(QueryPhaseResultConsumer consumer) {
    this.consumer = consumer;
  }

  @Override
  public void take(SearchPhaseResult reply, Runnable next) {
    consumer.consumeResult(reply, next);
  }

  @Override
  public AtomicArray<SearchPhaseResult> all() {
    return consumer.getAtomicArray();
  }

  @Override
  public boolean takesNumbers() {
    return false;
  }

  @Override
  public Reduced reduce() throws Exception {
    return Reduced.of(consumer.reduce());
  }

  @Override
  public void close() {
    consumer.close();
  }
}
