package dev.weir.rest;

import dev.weir.model.MemoryWait;
import dev.weir.model.PassThroughException;
import dev.weir.model.RequestContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
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
 * The node client that OpenSearch's REST handlers see: it passes their actions to the {@link
 * ActionExecutor}. It executes only one action itself, the cancellation of a task.
 */
final class GatewayNodeClient extends NodeClient {
  /** The node name in the ids of the gateway's tasks, which stay within the gateway. */
  private static final String LOCAL = "gateway";

  /** Why an action is cancelled whose client has left, in OpenSearch's words. */
  private static final String CLOSED = "channel closed";

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

  /** Returns the number of running actions. */
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
      cancel(cancel.getTaskId().getId(), cancel.getReason());
      return; // the REST layer cancels after a disconnect and ignores the response
    }
    executeLocally(action, request, listener);
  }

  private void cancel(long taskId, String reason) {
    GatewayTask task = tasks.get(taskId);
    if (task != null) {
      task.cancel(reason);
    }
  }

  private GatewayTask startTask(String action, RestExchange exchange) {
    GatewayTask task = new GatewayTask(exchange.nextTaskId(requestNumbers), action, exchange);
    tasks.put(task.getId(), task);
    exchange.onEnd(() -> tasks.remove(task.getId()));
    return task;
  }

  /** Starts a streaming bulk; its task runs until its exchange ends. */
  RequestContext startBulk(RestExchange exchange) {
    return exchange.context(startTask(BulkAction.NAME, exchange).getId(), true);
  }

  /** Starts an export; its task runs until its exchange ends. */
  void startExport(RestExchange exchange) {
    exchange.context(startTask(RestExportAction.ACTION, exchange).getId(), false);
  }

  /** Returns a new number for a request or for a part of one. */
  long nextRequestNumber() {
    return requestNumbers.getAsLong();
  }

  /**
   * Executes a part of a request, for example a section of a bulk.
   *
   * @param action executed by the gateway or by a node
   * @param context the part's own context
   */
  <Q extends ActionRequest, R extends ActionResponse> void executePart(
      ActionType<R> action, Q part, RequestContext context, ActionListener<R> listener) {
    try {
      executor.execute(action, part, context, listener);
    } catch (Exception failure) {
      listener.onFailure(failure);
    }
  }

  /**
   * Executes an action that is cancelled when its client disconnects, as {@code
   * RestCancellableNodeClient} does, which has a table of the channels of all requests for that.
   */
  <Q extends ActionRequest, R extends ActionResponse> void executeUntilDisconnect(
      ActionType<R> action, Q request, RestExchange exchange, ActionListener<R> listener) {
    Task task = executeLocally(action, request, listener);
    exchange.channel().addCloseListener(ActionListener.wrap(() -> cancel(task.getId(), CLOSED)));
  }

  /** Never throws: otherwise {@code RestCancellableNodeClient} would never release the channel. */
  @Override
  public <Q extends ActionRequest, R extends ActionResponse> Task executeLocally(
      ActionType<R> action, Q request, ActionListener<R> listener) {
    RestExchange exchange = RestExchange.current(threadPool().getThreadContext());
    GatewayTask task = startTask(action.name(), exchange);
    ExchangeActionListener<R> outcome = new ExchangeActionListener<>(exchange, listener);
    try {
      ActionRequestValidationException invalid = request.validate();
      if (invalid == null) {
        boolean write = ActionNames.isWrite(action.name());
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

  /**
   * Passes an action's response or failure to the REST handler, in the request's thread context.
   */
  private record ExchangeActionListener<R>(RestExchange exchange, ActionListener<R> handler)
      implements ActionListener<R> {
    @Override
    public void onResponse(R response) {
      runInExchange(() -> handler.onResponse(response));
    }

    @Override
    public void onFailure(Exception failure) {
      String reason = PassThroughClassifier.passThroughReason(failure);
      Exception response = reason == null ? failure : alternative(failure);
      if (reason != null && response == null) {
        exchange.passThrough(reason);
      } else if (response != null) {
        runInExchange(() -> handler.onFailure(response));
      }
    }

    /** Returns the failure to send where no node supports the format; null to pass through. */
    private @Nullable Exception alternative(Exception failure) {
      if (exchange.content().requiredFormat() == null
          || !(failure instanceof PassThroughException passing)
          || passing.alternative() == null) {
        return null;
      }
      MemoryWait wait = exchange.memory().memoryWait();
      if (wait != null) {
        wait.reportRejection();
      }
      return passing.alternative();
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
