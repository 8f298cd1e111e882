package dev.weir.bluegreen.shadow;

import dev.weir.model.HttpExchange;
import dev.weir.model.NodeResponseListener;
import dev.weir.model.RequestHandler;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cluster that reads are repeated on. */
public interface ShadowTarget {
  /** The configured name. */
  String cluster();

  /** Executes requests without admission control. */
  RequestHandler handler();

  /**
   * Renames the path and query for this cluster.
   *
   * @param uri as sent by the client
   * @return null if a name has no counterpart
   */
  default @Nullable String translateUri(String uri) {
    return uri;
  }

  /** Whether index names in a request body need renaming. */
  default boolean hasRenamedBodyIndices(String originalUri) {
    return false;
  }

  /** Returns the sender of pass-through requests to its nodes; null for none. */
  default @Nullable PassThroughSender passThroughSender() {
    return null;
  }

  /**
   * Renames a copy of a request's body for this cluster.
   *
   * @param body as sent by the client
   * @return null if a name has no counterpart
   */
  default @Nullable ByteBuffer translateBody(
      String originalUri, List<Map.Entry<String, String>> headers, ByteBuffer body) {
    return RequestCopy.copyBytes(body);
  }

  /** Passes requests through to the nodes of a cluster, which authenticate them. */
  @FunctionalInterface
  interface PassThroughSender {
    /**
     * Sends a request. Called on its event loop, which also receives the response.
     *
     * @return cancels the request; call it on the event loop
     */
    Runnable send(HttpExchange request, NodeResponseListener listener);
  }
}
