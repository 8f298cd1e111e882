package dev.weir.protocol.action;

import org.opensearch.core.tasks.TaskId;
import org.opensearch.transport.TransportRequest;

/**
 * The task on the gateway that tasks on the nodes are children of. Nodes need not know the
 * gateway's id; they cancel children by it.
 *
 * @param gatewayId what this gateway calls itself
 * @param taskId this gateway's number for a request
 */
public record ParentTask(String gatewayId, long taskId) {
  /** Makes a request's task a child of this one; gives the request back. */
  public <Q extends TransportRequest> Q setAsParentOf(Q request) {
    request.setParentTask(gatewayId, taskId);
    return request;
  }

  /** The same as OpenSearch's type. */
  public TaskId toTaskId() {
    return new TaskId(gatewayId, taskId);
  }
}
