package dev.weir.protocol;

import java.util.Objects;
import org.opensearch.ExceptionsHelper;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.transport.NodeNotConnectedException;

/**
 * The failure of a call to a node. Stackless. Its cause is the exception that a node's own
 * transport would report in the same situation, for example RemoteTransportException or
 * NodeDisconnectedException, so that clients see the same errors.
 */
public final class NodeCallException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The reason of a failure, which determines whether the node may have executed the call. */
  public enum Kind {
    /** The node responded with an error. */
    REMOTE,
    /**
     * The call was not sent: no connection, or too many pending calls. It is safe to send it to
     * another node.
     */
    NOT_SENT,
    /** The connection was lost after sending: the node may have executed the call. */
    CONNECTION_LOST,
    /** No response arrived in time: the node may still execute the call. */
    TIMED_OUT,
    /** The response is unreadable. */
    MALFORMED,
    /** The node responded, and a {@link FrameBudget} rejected the memory for the response. */
    OVER_BUDGET
  }

  /** Set by {@code dev.weir.node.ceiling.RequestAccount} of the plugin. */
  private static final String REQUEST_CEILING = "opensearch.request_ceiling";

  private static final byte[] EMPTY = {};

  private final Kind kind;

  private final String nodeId;
  private final byte[] payloadPrefix;
  private final boolean isBeyondSharedBound;

  /** Creates a failure from the exception of a node's own transport. */
  public NodeCallException(Kind kind, String nodeId, Exception cause) {
    this(kind, nodeId, cause, EMPTY);
  }

  /**
   * Creates a failure for a response over the memory limit.
   *
   * @param beginning the first bytes of its payload
   */
  public NodeCallException(Kind kind, String nodeId, Exception cause, byte[] beginning) {
    this(kind, nodeId, cause, beginning, false);
  }

  private NodeCallException(
      Kind kind, String nodeId, Exception cause, byte[] beginning, boolean isBeyondSharedBound) {
    super(cause.getMessage(), cause, false, false);
    this.kind = kind;
    this.nodeId = nodeId;
    this.payloadPrefix = beginning;
    this.isBeyondSharedBound = isBeyondSharedBound;
  }

  /** Creates the failure of a call that was not sent; see {@link #isBeyondSharedBound}. */
  public static NodeCallException beyondSharedBound(String nodeId, Exception cause) {
    return new NodeCallException(Kind.NOT_SENT, nodeId, cause, EMPTY, true);
  }

  /** Creates the failure of a call to an unknown node; the call was not sent. */
  public static NodeCallException unknownNode(String nodeId) {
    return new NodeCallException(
        Kind.NOT_SENT,
        nodeId,
        new NodeNotConnectedException(null, "got node [" + nodeId + "] (expected: a known node)"));
  }

  public Kind kind() {
    return kind;
  }

  /**
   * Returns the HTTP status of the exception: 4xx if the request is invalid, 429 for a rejection,
   * 503 for a missing shard.
   */
  public int status() {
    return ExceptionsHelper.status(ExceptionsHelper.unwrapCause(exception())).getStatus();
  }

  /**
   * Returns true if the gateway refused the call at a bound, or for memory, that the calls to all
   * nodes share. That says nothing about the node.
   */
  public boolean isBeyondSharedBound() {
    return isBeyondSharedBound;
  }

  /** Returns true if no connection carried the call, or its response. */
  public boolean isConnectionFailure() {
    return kind == Kind.NOT_SENT || kind == Kind.CONNECTION_LOST;
  }

  /** Returns true if the node stopped because the task was cancelled. */
  public boolean isCancelled() {
    return ExceptionsHelper.unwrap(exception(), TaskCancelledException.class) != null;
  }

  /**
   * Returns true if the node's plugin refused the memory because the request's own ceiling was
   * reached. That is the request's fault: the node may have memory, and no copy will do better.
   */
  public boolean isOverRequestCeiling() {
    return ExceptionsHelper.unwrap(exception(), CircuitBreakingException.class)
            instanceof CircuitBreakingException refusal
        && refusal.getMetadata(REQUEST_CEILING) != null;
  }

  /**
   * Returns the first payload bytes of a response over the memory limit, which show the search
   * contexts it leaves open; empty if there are none or they are unknown.
   */
  public byte[] payloadPrefix() {
    return payloadPrefix;
  }

  public String nodeId() {
    return nodeId;
  }

  /** Returns the exception that a node's own transport would throw. */
  public Exception exception() {
    return (Exception) Objects.requireNonNull(getCause());
  }
}
