package dev.weir.model;

import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request, received in full (or, with {@link #sectionedBody}, in part), and the one way to
 * answer it.
 *
 * <p>Confined to {@link #eventLoop()}, the client channel's event loop: every method is called
 * there. Exactly one of {@code respond}, {@link #passThrough} and {@link #drop} is called, once,
 * also after a disconnect, which reaches no client then but says that the work has ended: until
 * then the request counts as in flight, and its body is paid for.
 */
public interface HttpExchange {
  /** The method in upper case, such as {@code GET}. */
  String method();

  /** Path and query exactly as the client sent them, still percent-encoded. */
  String uri();

  /** Path and query as the client sent them where {@link #uri} has other names of indices. */
  default String originalUri() {
    return uri();
  }

  /** The version of the request line, such as {@code HTTP/1.1} or {@code HTTP/2.0}. */
  String protocolVersion();

  /** Headers in the order received; names keep the client's case (HTTP/2: lower case). */
  List<Map.Entry<String, String>> headers();

  /**
   * The whole body after content decoding; empty for none. Heap-backed where possible. Valid until
   * the answer's last byte has left (or the exchange was passed through), never after it.
   */
  ByteBuffer body();

  /** The body with the names of indices that {@link #originalUri} has; read like {@link #body}. */
  default ByteBuffer originalBody() {
    return body();
  }

  /** What follows the body while it is worked on; null, as a rule, for nothing: it is whole. */
  default @Nullable SectionedBody sectionedBody() {
    return null;
  }

  /** Whose request it is; {@link RequestContext#DEFAULT_TENANT} where that is not told apart. */
  default String tenant() {
    return RequestContext.DEFAULT_TENANT;
  }

  /** What it leaves in a trace. */
  default RequestTrace trace() {
    return RequestTrace.NONE;
  }

  /** The policy that it goes by, from its head to its end. */
  default RequestPolicy policy() {
    return RequestPolicy.NONE;
  }

  /**
   * Whether no client waits for it: the gateway asks for something itself. What becomes of it is
   * not told among what became of clients' requests.
   */
  default boolean isInternal() {
    return false;
  }

  /** When its first byte came, by the monotonic clock ({@link System#nanoTime}). */
  long arrivedNanos();

  /** The memory that the request holds; its body is paid for there already. */
  default RequestMemory memory() {
    return RequestMemory.UNBOUNDED;
  }

  /** The client's address. */
  SocketAddress remoteAddress();

  /** The address of this gateway that the client's connection goes to. */
  SocketAddress localAddress();

  /** Where this request lives: tasks run one at a time, on the client channel's event loop. */
  Executor eventLoop();

  /**
   * Runs {@code action} on {@link #eventLoop()} when the client goes away before its answer is
   * complete.
   */
  void onDisconnect(Runnable action);

  /** Tells this gateway's number for the request, for the log. */
  void assignTaskId(long id);

  /**
   * Tells that what it is going to be answered with lacks something because nodes are gone; called
   * before {@link #respond}.
   */
  default void markIncomplete() {}

  /** Answers the request. */
  void respond(BufferedResponse reply);

  /** Answers the request with a body that is made while the client takes it; called on its home. */
  default void respond(StreamingResponse reply) {
    throw new UnsupportedOperationException("got a streamed answer (expected: one that is whole)");
  }

  /**
   * Sends the request unchanged to a node's REST port and streams the node's answer to the client.
   *
   * @param reason why it was not coordinated, a short kebab-case word for the metrics, such as
   *     {@code search-pipeline}
   */
  void passThrough(String reason);

  /** Ends the request without an answer: its client is gone, and the work for it was stopped. */
  void drop();

  /**
   * The body may be read even when the answer's last byte has left: something went wrong, and who
   * still has a part of it is not known. Its memory is not used for another body then.
   */
  void retainBody();
}
