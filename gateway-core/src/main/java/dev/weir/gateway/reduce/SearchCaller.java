package dev.weir.gateway.reduce;

import dev.weir.model.RequestContext;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import java.time.Duration;
import java.util.Map;
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
  /** The caller for a request of this gateway. */
  public static SearchCaller of(String gatewayId, long taskId, RequestContext context) {
    return new SearchCaller(new TaskId(gatewayId, taskId), context.transportHeaders());
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
