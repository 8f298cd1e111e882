package dev.weir.core.coordinate.batch;

import dev.weir.core.coordinate.batch.BatchEntry.EntryResult;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeClient;
import java.util.concurrent.Executor;

/**
 * Queries that a node reduced together with one whose result is not used. They go to the node again
 * in one message, this time without a reduction, so that a second such result concerns itself
 * alone. The search contexts that their results left open are freed in one message, too. Confined
 * to the event loop of the request.
 */
final class RepeatedQueries {
  private final NodeBatch queries;
  private final NodeBatch frees;

  RepeatedQueries(NodeClient node, Executor executor, NodeBatch.Limits limits) {
    this.queries = new NodeBatch(node, executor, limits.withoutReduction());
    this.frees = new NodeBatch(node, executor, NodeBatch.Limits.NONE);
  }

  /** Adds the query of a result that was read. */
  void add(EntryResult<?> result) {
    NodeCall<?> free =
        result.entry().call().payload() instanceof ReducibleQuery query
            ? query.createFreeCall(result.reply())
            : null;
    if (free != null) {
      frees.addIgnored(free);
    }
    result.entry().moveTo(queries);
  }

  /** Sends the messages; a call that is alone goes as it is. */
  void send() {
    frees.send();
    queries.send();
  }
}
