package dev.weir.rest;

import java.util.Map;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.tasks.CancellableTask;

/** One running action of an exchange; OpenSearch's REST layer can cancel it. */
final class GatewayTask extends CancellableTask {
  private final RestExchange exchange;

  GatewayTask(long id, String action, RestExchange exchange) {
    super(id, "transport", action, "", TaskId.EMPTY_TASK_ID, Map.of());
    this.exchange = exchange;
  }

  @Override
  public boolean shouldCancelChildrenOnCancellation() {
    return true;
  }

  @Override
  protected void onCancelled() {
    exchange.cancel(getReasonCancelled());
  }
}
