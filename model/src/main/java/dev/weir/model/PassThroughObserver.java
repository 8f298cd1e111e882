package dev.weir.model;

import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Looks on while requests pass through to nodes. Called on the request's home; never throws, never
 * blocks.
 */
@FunctionalInterface
public interface PassThroughObserver {
  /**
   * The head of a request that is about to pass through.
   *
   * @param uri path and query as the node gets them
   * @param originalUri path and query as the client sent them
   * @param headers in the order received
   * @param bodyLength as announced; negative when it is not known
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

  /** Sees one request and its answer, unless its client goes. */
  interface ExchangeObserver extends NodeResponseListener {
    /**
     * Some of the request's body.
     *
     * @param part borrowed
     */
    void onRequestBody(ByteBuffer part);

    /** The client went away, and nothing more is heard. */
    void onDisconnect();
  }

  /** A request passes through; null where nobody looks. */
  @Nullable ExchangeObserver observe(Head request);
}
