package dev.weir.gateway.reduce;

import dev.weir.model.RequestContext;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.transport.TransportRequest;

/**
 * On whose behalf calls to nodes are made.
 *
 * @param task what nodes know as the parent of the tasks they start
 * @param headers thread-context headers that go with every call
 */
public record SearchCaller(TaskId task, Map<String, String> headers) {
  /** Far from the ids that requests, and searches within requests, count up to. */
  private static final AtomicLong APART = new AtomicLong(1L << 48);

  /** The caller for a request of this gateway. */
  public static SearchCaller of(String gatewayId, long taskId, RequestContext context) {
    return new SearchCaller(new TaskId(gatewayId, taskId), context.transportHeaders());
  }

  /** The same caller with a task of its own, that has no other child. */
  SearchCaller apart() {
    return new SearchCaller(new TaskId(task.getNodeId(), APART.getAndIncrement()), headers);
  }

  /** A call that is a child of this caller's task. */
  public <R> NodeCall<R> child(
      String action, TransportRequest request, Writeable.Reader<R> reader) {
    request.setParentTask(task);
    return new NodeCall<>(action, request, reader, ChannelKind.READ, headers, Duration.ZERO);
  }

  /** A call that stands alone. */
  public <R> NodeCall<R> alone(
      String action, TransportRequest request, Writeable.Reader<R> reader) {
    return new NodeCall<>(action, request, reader, ChannelKind.READ, headers, Duration.ZERO);
  }
}
