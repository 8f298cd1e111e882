package dev.weir.model;

import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request and the methods that end it. The body is complete, or with {@link
 * #sectionedBody} still arriving.
 *
 * <p>Confined to {@link #eventLoop()}, the client channel's event loop: every method is called
 * there. Exactly one of {@code respond}, {@link #passThrough} and {@link #drop} is called, exactly
 * once. This also holds after a disconnect: the call then reaches no client but ends the work.
 * Until then the request counts as in flight, and its body stays accounted.
 */
public interface HttpExchange {
  /** The method in upper case, such as {@code GET}. */
  String method();

  /** Returns path and query exactly as the client sent them, still percent-encoded. */
  String uri();

  /** Returns path and query as the client sent them. {@link #uri} may have other index names. */
  default String originalUri() {
    return uri();
  }

  /** The version of the request line, such as {@code HTTP/1.1} or {@code HTTP/2.0}. */
  String protocolVersion();

  /** Headers in the order received; names keep the client's case (HTTP/2: lower case). */
  List<Map.Entry<String, String>> headers();

  /**
   * Returns the whole body after content decoding; empty for none. Backed by an array where
   * possible. Valid until the response's last byte was sent or the exchange was passed through.
   */
  ByteBuffer body();

  /**
   * Returns the body with the index names of {@link #originalUri}; valid as long as {@link #body}.
   */
  default ByteBuffer originalBody() {
    return body();
  }

  /**
   * Returns the rest of a body that is still arriving; null if the body is complete, the usual
   * case.
   */
  default @Nullable SectionedBody sectionedBody() {
    return null;
  }

  /** Returns the request's tenant; {@link RequestContext#DEFAULT_TENANT} if no rule assigns one. */
  default String tenant() {
    return RequestContext.DEFAULT_TENANT;
  }

  /**
   * Returns the user for whom the request is coordinated; null where nodes do not authorize
   * clients, and before the gateway knows the user.
   */
  default @Nullable ClientIdentity identity() {
    return null;
  }

  /** Returns the request's trace. */
  default RequestTrace trace() {
    return RequestTrace.NONE;
  }

  /** Returns the request's policy, which stays the same until its end. */
  default RequestPolicy policy() {
    return RequestPolicy.NONE;
  }

  /**
   * Returns whether the gateway itself sends the request. Metrics of client requests leave it out.
   */
  default boolean isInternal() {
    return false;
  }

  /** Returns when the first byte arrived, by the monotonic clock ({@link System#nanoTime}). */
  long arrivedNanos();

  /** Returns the account of the request's memory; the body is already charged to it. */
  default RequestMemory memory() {
    return RequestMemory.UNBOUNDED;
  }

  /** The client's address. */
  SocketAddress remoteAddress();

  /** Returns the gateway's address of the client's connection. */
  SocketAddress localAddress();

  /** Returns the client channel's event loop, which runs the request's tasks one at a time. */
  Executor eventLoop();

  /**
   * Runs {@code action} on {@link #eventLoop()} if the client disconnects before its response is
   * complete.
   */
  void onDisconnect(Runnable action);

  /** Sets the gateway's number for the request, for the log. */
  void assignTaskId(long id);

  /** Marks the response as incomplete because nodes were lost. Called before {@link #respond}. */
  default void markIncomplete() {}

  void respond(BufferedResponse reply);

  /** Answers the request with a body that is produced while the client reads it. */
  default void respond(StreamingResponse reply) {
    throw new UnsupportedOperationException("got a streaming response (expected: a buffered one)");
  }

  /**
   * Sends the request unchanged to a node's REST port and streams the node's response to the
   * client.
   *
   * @param reason why the request was not coordinated, a short kebab-case word for the metrics,
   *     such as {@code search-pipeline}
   */
  void passThrough(String reason);

  /** Ends the request without a response: its client has disconnected and its work is stopped. */
  void drop();

  /**
   * Keeps the body's memory from reuse. After a failure the gateway does not know what still refers
   * to the body, so the memory is left to the garbage collector.
   */
  void retainBody();
}
