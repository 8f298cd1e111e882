package dev.weir.protocol.action;

import org.opensearch.core.tasks.TaskId;
import org.opensearch.transport.TransportRequest;

/**
 * The gateway's task that is the parent of tasks on nodes. Nodes do not need to know the gateway's
 * id; they cancel child tasks by it.
 *
 * @param gatewayId the id of this gateway
 * @param taskId the gateway's number of a request
 */
public record ParentTask(String gatewayId, long taskId) {
  /** Makes a request's task a child of this one; returns the request. */
  public <Q extends TransportRequest> Q setAsParentOf(Q request) {
    request.setParentTask(gatewayId, taskId);
    return request;
  }

  /** Returns the same as OpenSearch's type. */
  public TaskId toTaskId() {
    return new TaskId(gatewayId, taskId);
  }
}
