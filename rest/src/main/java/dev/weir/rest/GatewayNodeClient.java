package dev.weir.rest;

import dev.weir.model.RequestContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.ActionRequestValidationException;
import org.opensearch.action.ActionType;
import org.opensearch.action.admin.cluster.node.tasks.cancel.CancelTasksRequest;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.tasks.Task;
import org.opensearch.tasks.TaskListener;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.client.node.NodeClient;

/**
 * What OpenSearch's REST handlers take for the node's own client: hands their actions to the {@link
 * ActionExecutor}. Cancelling a task is the one action it carries out itself.
 */
final class GatewayNodeClient extends NodeClient {
  /** Names this gateway in task ids that never leave it. */
  private static final String LOCAL = "gateway";

  /** How the names of actions begin that change documents. */
  private static final String WRITES = "indices:data/write/";

  private final NamedWriteableRegistry writeables;
  private final ActionExecutor executor;
  private final LongSupplier requestNumbers;
  private final Map<Long, GatewayTask> tasks = new ConcurrentHashMap<>();

  GatewayNodeClient(
      Settings settings,
      ThreadPool threadPool,
      NamedWriteableRegistry writeables,
      ActionExecutor executor,
      LongSupplier numbers) {
    super(settings, threadPool);
    this.requestNumbers = numbers;
    this.writeables = writeables;
    this.executor = executor;
  }

  /** How many actions are under way. */
  int runningTasks() {
    return tasks.size();
  }

  @Override
  public String getLocalNodeId() {
    return LOCAL;
  }

  @Override
  public NamedWriteableRegistry getNamedWriteableRegistry() {
    return writeables;
  }

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> void doExecute(
      ActionType<R> action, Q request, ActionListener<R> listener) {
    if (request instanceof CancelTasksRequest cancel) {
      GatewayTask task = tasks.get(cancel.getTaskId().getId());
      if (task != null) {
        task.cancel(cancel.getReason());
      }
      return; // nobody listens: the REST layer cancels when its client is gone
    }
    executeLocally(action, request, listener);
  }

  private GatewayTask startTask(String action, RestExchange exchange) {
    GatewayTask task = new GatewayTask(exchange.nextTaskId(requestNumbers), action, exchange);
    tasks.put(task.getId(), task);
    exchange.onEnd(() -> tasks.remove(task.getId()));
    return task;
  }

  /** Begins a bulk that is carried out in parts; it is under way until its exchange is over. */
  RequestContext startBulk(RestExchange exchange) {
    return exchange.context(startTask(BulkAction.NAME, exchange).getId(), true);
  }

  /** Begins an export; it is under way until its exchange is over. */
  void startExport(RestExchange exchange) {
    exchange.context(startTask(RestExportAction.ACTION, exchange).getId(), false);
  }

  /** A number for a request, or for a part of one. */
  long nextRequestNumber() {
    return requestNumbers.getAsLong();
  }

  /**
   * Carries a part of a request out, such as one of a bulk.
   *
   * @param action by the gateway or by a node
   * @param context the part's own
   */
  <Q extends ActionRequest, R extends ActionResponse> void executePart(
      ActionType<R> action, Q part, RequestContext context, ActionListener<R> listener) {
    try {
      executor.execute(action, part, context, listener);
    } catch (Exception failure) {
      listener.onFailure(failure);
    }
  }

  /** Never throws: {@code RestCancellableNodeClient} would never release the channel. */
  @Override
  public <Q extends ActionRequest, R extends ActionResponse> Task executeLocally(
      ActionType<R> action, Q request, ActionListener<R> listener) {
    RestExchange exchange = RestExchange.current(threadPool().getThreadContext());
    GatewayTask task = startTask(action.name(), exchange);
    ExchangeActionListener<R> outcome = new ExchangeActionListener<>(exchange, listener);
    try {
      ActionRequestValidationException invalid = request.validate();
      if (invalid == null) {
        boolean write = action.name().startsWith(WRITES);
        executor.execute(action, request, exchange.context(task.getId(), write), outcome);
      } else {
        outcome.onFailure(invalid);
      }
    } catch (Exception failure) {
      outcome.onFailure(failure);
    }
    return task;
  }

  @Override
  public <Q extends ActionRequest, R extends ActionResponse> Task executeLocally(
      ActionType<R> action, Q request, TaskListener<R> listener) {
    throw new UnsupportedOperationException(
        "got a listener of a task (expected: of an action, as all REST handlers here have)");
  }

  /** Brings an action's outcome to the REST handler, in the request's own thread context. */
  private record ExchangeActionListener<R>(RestExchange exchange, ActionListener<R> handler)
      implements ActionListener<R> {
    @Override
    public void onResponse(R response) {
      runInExchange(() -> handler.onResponse(response));
    }

    @Override
    public void onFailure(Exception failure) {
      String reason = PassThroughClassifier.passThroughReason(failure);
      if (reason == null) {
        runInExchange(() -> handler.onFailure(failure));
      } else {
        exchange.passThrough(reason);
      }
    }

    private void runInExchange(Runnable outcome) {
      if (!exchange.isClosed()) {
        exchange.run(() -> {
          exchange.takeNodeHeaders();
          outcome.run();
        });
      }
    }
  }
}
