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
 * The caller on whose behalf calls to nodes are made.
 *
 * @param parentTask the parent of the tasks that the calls start
 * @param headers thread-context headers that go with every call
 */
public record SearchCaller(TaskId parentTask, Map<String, String> headers) {
  /**
   * The number of task ids of one gateway that a node can tell apart: the last 13 digits of a
   * parent task's id.
   */
  private static final long TASK_ID_BITS = 10_000_000_000_000L;

  /** The number of gateways that the digits above {@link #TASK_ID_BITS} can tell apart. */
  private static final int GATEWAY_SHIFT = 900_000;

  /** Starts far from the ids that requests, and searches within requests, count up to. */
  private static final AtomicLong NEXT_TASK_ID = new AtomicLong(TASK_ID_BITS / 2);

  /** The caller for a request of this gateway. */
  public static SearchCaller create(String gatewayId, long taskId, RequestContext context) {
    return new SearchCaller(new TaskId(gatewayId, taskId), context.transportHeaders());
  }

  /** The caller for a search of this gateway, with other headers than its request's. */
  public static SearchCaller create(String gatewayId, long taskId, Map<String, String> headers) {
    return new SearchCaller(new TaskId(gatewayId, taskId), headers);
  }

  /**
   * Returns the same caller as a task of this node. A node accepts bans only for tasks of cluster
   * members ({@code TaskManager#setBan}), so the parent must look like a task of the node itself.
   * Its id is far from those of the node's own tasks, which count up from 1.
   */
  public SearchCaller forNode(String nodeId) {
    long gateway = 1L + Math.floorMod(parentTask.getNodeId().hashCode(), GATEWAY_SHIFT);
    return new SearchCaller(
        new TaskId(
            nodeId, gateway * TASK_ID_BITS + Math.floorMod(parentTask.getId(), TASK_ID_BITS)),
        headers);
  }

  /** Returns the same caller with a separate task that has no other child. */
  SearchCaller withOwnTask() {
    return new SearchCaller(
        new TaskId(parentTask.getNodeId(), NEXT_TASK_ID.getAndIncrement()), headers);
  }

  /** Creates a call that is a child of this caller's task. */
  public <R> NodeCall<R> createChildCall(
      String action, TransportRequest request, Writeable.Reader<R> reader) {
    request.setParentTask(parentTask);
    return new NodeCall<>(action, request, reader, ChannelKind.READ, headers, Duration.ZERO);
  }

  /** Creates a call without a parent task. */
  public <R> NodeCall<R> createStandaloneCall(
      String action, TransportRequest request, Writeable.Reader<R> reader) {
    return new NodeCall<>(action, request, reader, ChannelKind.READ, headers, Duration.ZERO);
  }
}
