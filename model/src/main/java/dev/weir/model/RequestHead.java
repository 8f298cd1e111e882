package dev.weir.model;

import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request: all that is known of it before its body is read. Confined to its client
 * channel's event loop.
 */
public interface RequestHead {
  /** The method in upper case, such as {@code GET}. */
  String method();

  /** Path and query exactly as the client sent them, still percent-encoded. */
  String uri();

  /**
   * The first value of a header.
   *
   * @param name in any case
   * @return null for none
   */
  @Nullable String header(String name);

  /**
   * All values of a header, in the order received; empty for none.
   *
   * @param name in any case
   */
  List<String> headers(String name);

  /** When its first byte came, by the monotonic clock ({@link System#nanoTime}). */
  long arrivedNanos();

  /** The client's address. */
  SocketAddress remoteAddress();

  /** The body's length in bytes as the client announced it; 0 for none, negative when unknown. */
  long contentLength();
}
