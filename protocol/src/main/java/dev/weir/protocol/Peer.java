package dev.weir.protocol;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.NodeCallException.Kind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.transport.ConnectTransportException;
import org.opensearch.transport.NodeDisconnectedException;
import org.opensearch.transport.NodeNotConnectedException;
import org.opensearch.transport.ReceiveTimeoutTransportException;
import org.opensearch.transport.RemoteTransportException;
import org.opensearch.transport.SendRequestTransportException;
import org.opensearch.transport.TransportSerializationException;

/**
 * The node at the other end of a channel; creates the failures of calls to it as OpenSearch's own
 * transport would. Immutable.
 *
 * @param endpoint the node; its id is empty while unknown
 * @param node the same as OpenSearch's type
 */
record Peer(NodeEndpoint endpoint, DiscoveryNode node) {
  static Peer of(NodeEndpoint endpoint) {
    return new Peer(endpoint, discoveryNode(endpoint));
  }

  /** Creates a peer with only a known address. */
  static Peer ofUnknownNode(InetSocketAddress address) {
    String name = address.getHostString() + ":" + address.getPort();
    return of(new NodeEndpoint("", "", name, address, null, Set.of(), Map.of(), ""));
  }

  private static DiscoveryNode discoveryNode(NodeEndpoint endpoint) {
    InetSocketAddress address = resolved(endpoint.transport());
    return new DiscoveryNode(
        endpoint.name(),
        endpoint.id(),
        endpoint.ephemeralId(),
        address.getHostString(),
        address.getAddress().getHostAddress(),
        new TransportAddress(address),
        endpoint.attributes(),
        endpoint.roles().stream()
            .map(DiscoveryNode::getRoleFromRoleName)
            .collect(Collectors.toUnmodifiableSet()),
        Version.CURRENT);
  }

  /** OpenSearch's address type requires an IP address: 0.0.0.0 stands for an unresolved one. */
  private static InetSocketAddress resolved(InetSocketAddress address) {
    if (!address.isUnresolved()) {
      return address;
    }
    try {
      return new InetSocketAddress(
          InetAddress.getByAddress(address.getHostString(), new byte[4]), address.getPort());
    } catch (UnknownHostException e) {
      throw new AssertionError("four bytes are an address", e);
    }
  }

  private NodeCallException failure(Kind kind, Exception cause) {
    return new NodeCallException(kind, endpoint.id(), cause);
  }

  NodeCallException notConnected() {
    return failure(Kind.NOT_SENT, new NodeNotConnectedException(node, "Node not connected"));
  }

  /** Creates the failure of an unsent call, with a reason for the missing connection. */
  NodeCallException notConnected(String reason) {
    return failure(Kind.NOT_SENT, new NodeNotConnectedException(node, reason));
  }

  /**
   * Creates the failure of an unsent call at one of the client's limits: a 429, as for a node's
   * full queue.
   */
  NodeCallException rejected(String reason) {
    return failure(
        Kind.NOT_SENT,
        new OpenSearchRejectedExecutionException("[" + endpoint.name() + "] " + reason, false));
  }

  /** Creates the same failure at a bound that the calls to all nodes share. */
  NodeCallException rejectedForAllNodes(String reason) {
    return NodeCallException.beyondSharedBound(endpoint.id(), rejected(reason).exception());
  }

  NodeCallException notSent(Exception cause) {
    return failure(Kind.NOT_SENT, cause);
  }

  NodeCallException unsendable(String action, Throwable cause) {
    return failure(Kind.NOT_SENT, new SendRequestTransportException(node, action, cause));
  }

  /** Creates the failure of a request that could not be encoded for lack of memory. */
  NodeCallException requestOutOfMemory(String action, OutOfMemoryError cause) {
    return rejectedForAllNodes("no memory to send [" + action + "]: " + cause.getMessage());
  }

  NodeCallException disconnected(String action) {
    return failure(Kind.CONNECTION_LOST, new NodeDisconnectedException(node, action));
  }

  NodeCallException timedOut(String action, long requestId, long afterMillis) {
    return failure(
        Kind.TIMED_OUT,
        new ReceiveTimeoutTransportException(
            node,
            action,
            "request_id [" + requestId + "] timed out after [" + afterMillis + "ms]"));
  }

  NodeCallException remote(Exception error) {
    return failure(
        Kind.REMOTE,
        error instanceof RemoteTransportException
            ? error
            : new RemoteTransportException(error.getMessage(), error));
  }

  NodeCallException malformed(String what, Throwable cause) {
    TransportSerializationException error = new TransportSerializationException(what, cause);
    return failure(Kind.MALFORMED, new RemoteTransportException(error.getMessage(), error));
  }

  /** Creates the error for a response that does not fit into the free memory. */
  CircuitBreakingException responseOutOfMemory(int bytes, OutOfMemoryError cause) {
    return new CircuitBreakingException(
        "no memory for an answer: got " + bytes + " bytes from " + endpoint.name() + ", " + cause,
        bytes,
        0,
        CircuitBreaker.Durability.TRANSIENT);
  }

  /** Creates the error for a response over the frame size limit. */
  CircuitBreakingException responseTooLarge(int bytes, int limit) {
    return new CircuitBreakingException(
        "answer over the limit: got "
            + bytes
            + " bytes from "
            + endpoint.name()
            + " (expected: at most "
            + limit
            + "); ask for less at once, or give the gateway a larger heap",
        bytes,
        limit,
        CircuitBreaker.Durability.PERMANENT);
  }

  /**
   * Creates the failure of a response over the memory limit.
   *
   * @param beginning the first bytes of its payload
   */
  NodeCallException overBudget(Exception cause, byte[] beginning) {
    return new NodeCallException(Kind.OVER_BUDGET, endpoint.id(), cause, beginning);
  }

  ConnectTransportException connectFailure(String message, @Nullable Throwable cause) {
    return new ConnectTransportException(node, message, cause);
  }
}
