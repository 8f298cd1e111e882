package dev.weir.core.reduce.round;

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
 * @param parentTask the parent of the tasks that are started for it
 * @param headers thread-context headers that go with every call
 */
public record SearchCaller(TaskId parentTask, Map<String, String> headers) {
  /**
   * So many numbers of a gateway are told apart on a node: the last 13 digits of a parent's id
   * there.
   */
  private static final long TASK_ID_BITS = 10_000_000_000_000L;

  /** So many gateways have digits of their own before these. */
  private static final int GATEWAY_SHIFT = 900_000;

  /** Far from the numbers that requests, and searches within requests, count up to. */
  private static final AtomicLong NEXT_TASK_ID = new AtomicLong(TASK_ID_BITS / 2);

  /** The caller for a request of this gateway. */
  public static SearchCaller create(String gatewayId, long taskId, RequestContext context) {
    return new SearchCaller(new TaskId(gatewayId, taskId), context.transportHeaders());
  }

  /**
   * The same caller as a node knows it: as a task of the node's own, because nodes remember bans of
   * tasks on members alone ({@code TaskManager#setBan}). Its number is far from those of the node's
   * tasks, which count up from 1.
   */
  public SearchCaller forNode(String nodeId) {
    long gateway = 1L + Math.floorMod(parentTask.getNodeId().hashCode(), GATEWAY_SHIFT);
    return new SearchCaller(
        new TaskId(
            nodeId, gateway * TASK_ID_BITS + Math.floorMod(parentTask.getId(), TASK_ID_BITS)),
        headers);
  }

  /** The same caller with a task of its own, that has no other child. */
  SearchCaller withOwnTask() {
    return new SearchCaller(
        new TaskId(parentTask.getNodeId(), NEXT_TASK_ID.getAndIncrement()), headers);
  }

  /** A call that is a child of this caller's task. */
  public <R> NodeCall<R> createChildCall(
      String action, TransportRequest request, Writeable.Reader<R> reader) {
    request.setParentTask(parentTask);
    return new NodeCall<>(action, request, reader, ChannelKind.READ, headers, Duration.ZERO);
  }

  /** A call that stands alone. */
  public <R> NodeCall<R> createStandaloneCall(
      String action, TransportRequest request, Writeable.Reader<R> reader) {
    return new NodeCall<>(action, request, reader, ChannelKind.READ, headers, Duration.ZERO);
  }
}
