package dev.weir.model;

import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Observes requests that pass through to nodes. Called on the request's event loop; never throws,
 * never blocks.
 */
@FunctionalInterface
public interface PassThroughObserver {
  /**
   * The head of a request that is about to pass through.
   *
   * @param uri path and query as the node gets them
   * @param originalUri path and query as the client sent them
   * @param headers in the order received
   * @param bodyLength as announced; negative if unknown
   */
  record Head(
      String method,
      String uri,
      String originalUri,
      String protocolVersion,
      List<Map.Entry<String, String>> headers,
      long bodyLength,
      String tenant,
      SocketAddress remoteAddress,
      SocketAddress localAddress) {}

  /** Observes one request and its response until the end or until the client disconnects. */
  interface ExchangeObserver extends NodeResponseListener {
    /**
     * A part of the request's body arrived.
     *
     * @param part valid only during the call
     */
    void onRequestBody(ByteBuffer part);

    /** The client disconnected; no method is called after this one. */
    void onDisconnect();
  }

  /** A request is about to pass through. Returns null to leave it unobserved. */
  @Nullable ExchangeObserver observe(Head request);
}
