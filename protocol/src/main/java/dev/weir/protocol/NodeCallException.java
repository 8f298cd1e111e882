package dev.weir.protocol;

import java.util.Objects;
import org.opensearch.ExceptionsHelper;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.transport.NodeNotConnectedException;

/**
 * Why a call to a node failed. Stackless. The cause is the exception that a node's own transport
 * would have given in the same place (such as RemoteTransportException or
 * NodeDisconnectedException), so that errors read the same to clients.
 */
public final class NodeCallException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What is known about a failed call. */
  public enum Kind {
    /** The node answered with an error. */
    REMOTE,
    /** Nothing was sent: no connection, or too many calls pending. Safe to send elsewhere. */
    NOT_SENT,
    /** Sent, then the connection was lost: the node may have done it. */
    CONNECTION_LOST,
    /** Sent, and no answer in time: the node may do it yet. */
    TIMED_OUT,
    /** The answer could not be read. */
    MALFORMED,
    /** The node answered, and a {@link FrameBudget} refused the memory for its answer. */
    OVER_BUDGET
  }

  private final Kind kind;
  private static final byte[] EMPTY = {};

  private final String nodeId;
  private final byte[] payloadPrefix;

  /** Makes a failure around what a node's own transport would have thrown. */
  public NodeCallException(Kind kind, String nodeId, Exception cause) {
    this(kind, nodeId, cause, EMPTY);
  }

  /**
   * Makes a failure by an answer that there was no room for.
   *
   * @param beginning the first bytes of its payload
   */
  public NodeCallException(Kind kind, String nodeId, Exception cause, byte[] beginning) {
    super(cause.getMessage(), cause, false, false);
    this.kind = kind;
    this.nodeId = nodeId;
    this.payloadPrefix = beginning;
  }

  /** The failure of a call to a node that nobody knows: nothing was sent. */
  public static NodeCallException unknownNode(String nodeId) {
    return new NodeCallException(
        Kind.NOT_SENT,
        nodeId,
        new NodeNotConnectedException(null, "got node [" + nodeId + "] (expected: a known node)"));
  }

  /** What is known. */
  public Kind kind() {
    return kind;
  }

  /**
   * The HTTP status that the exception stands for: 4xx when the request caused it, 429 when there
   * was no room for it, 503 when the shard is not there (yet).
   */
  public int status() {
    return ExceptionsHelper.status(ExceptionsHelper.unwrapCause(exception())).getStatus();
  }

  /** Whether the node stopped the work because its task was cancelled. */
  public boolean isCancelled() {
    return ExceptionsHelper.unwrap(exception(), TaskCancelledException.class) != null;
  }

  /**
   * The first bytes of the payload of an answer that there was no room for, which tell what it
   * leaves open on the node; empty where there was none, or that is not known.
   */
  public byte[] payloadPrefix() {
    return payloadPrefix;
  }

  /** The node's id. */
  public String nodeId() {
    return nodeId;
  }

  /** What a node's own transport would have thrown. */
  public Exception exception() {
    return (Exception) Objects.requireNonNull(getCause());
  }
}
