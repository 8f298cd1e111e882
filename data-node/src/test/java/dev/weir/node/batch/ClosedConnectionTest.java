package dev.weir.node.batch;

import static dev.weir.node.batch.LoneNode.query;
import static dev.weir.node.batch.ShardBatchTest.found;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.batch.LoneNode.Gateway;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.tasks.CancellableTask;
import org.opensearch.tasks.TaskCancellationService;
import org.opensearch.tasks.TaskManager;
import org.opensearch.transport.TcpChannel;

/** A gateway's connection closes while a batch has results for it. */
final class ClosedConnectionTest {
  private static final int MANY_BYTES = 1 << 20;
  private static final int LONG_MILLIS = 60_000;
  private static final String NAME = "a connection";

  private final LoneNode node = new LoneNode();
  private final CompletableFuture<ActionListener<Void>> closeListener = new CompletableFuture<>();

  @AfterEach
  void stop() throws InterruptedException {
    assertThat(node.service.keptBatches()).isZero();
    node.awaitNothingHeld();
    node.close();
  }

  /** A connection of which the listener of its end is known. */
  @SuppressWarnings("unchecked") // the only argument of a close listener
  private TcpChannel connection() {
    return (TcpChannel)
        Proxy.newProxyInstance(
            TcpChannel.class.getClassLoader(),
            new Class<?>[] {TcpChannel.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "addCloseListener" ->
                      closeListener.complete((ActionListener<Void>) arguments[0]);
                  case "isOpen" -> true;
                  case "hashCode" -> 7;
                  case "equals" -> arguments[0].toString().equals(NAME);
                  case "toString" -> NAME;
                  default -> null;
                });
  }

  @Test
  void freeTheSearchContextsOfResultsThatWait() throws Exception {
    TaskManager tasks = node.transport.getTaskManager();
    tasks.setTaskCancellationService(new TaskCancellationService(node.transport));
    Gateway gateway =
        node.send(TaskId.EMPTY_TASK_ID, MANY_BYTES, LONG_MILLIS, query("a"), query("b"));
    CancellableTask message =
        tasks.getCancellableTasks().values().stream()
            .filter(task -> task.getAction().equals(ShardBatchService.ACTION))
            .findFirst()
            .orElseThrow();
    tasks.startTrackingCancellableChannelTask(connection(), message);
    node.take("a").answer(found(1, 1));
    assertThat(gateway.isWaiting()).isTrue();
    assertThat(node.freedContexts).isEmpty();

    closeListener.get().onResponse(null);
    node.awaitFreed(1);
    assertThat(message.getReasonCancelled()).isEqualTo(ShardBatch.CONNECTION_CLOSED);
    node.take("b").answer(found(1, 1));
    node.awaitFreed(2);
    assertThat(gateway.answer().results()).isEmpty();
  }

  /** The gateway frees the search contexts of a search that it cancels: it has their ids. */
  @Test
  void sendTheResultsOfACancelledSearch() throws Exception {
    Gateway gateway =
        node.send(TaskId.EMPTY_TASK_ID, MANY_BYTES, LONG_MILLIS, query("a"), query("b"));
    CancellableTask message =
        node.transport.getTaskManager().getCancellableTasks().values().stream()
            .filter(task -> task.getAction().equals(ShardBatchService.ACTION))
            .findFirst()
            .orElseThrow();
    node.take("a").answer(found(1, 1));
    node.transport.getTaskManager().cancel(message, "cancelled by the client", () -> {});
    node.take("b").answer(found(1, 1));
    assertThat(gateway.answer().beginnings()).hasSize(2);
    assertThat(node.freedContexts).isEmpty();
  }
}
