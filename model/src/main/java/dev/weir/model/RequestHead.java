package dev.weir.model;

import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request line and headers of a request, available before its body. Confined to its client
 * channel's event loop.
 */
public interface RequestHead {
  /** The method in upper case, such as {@code GET}. */
  String method();

  /** Returns path and query exactly as the client sent them, still percent-encoded. */
  String uri();

  /**
   * Returns the first value of a header; null for none.
   *
   * @param name in any case
   */
  @Nullable String header(String name);

  /**
   * Returns all values of a header, in the order received; empty for none.
   *
   * @param name in any case
   */
  List<String> headers(String name);

  /** Returns when the first byte arrived, by the monotonic clock ({@link System#nanoTime}). */
  long arrivedNanos();

  /** The client's address. */
  SocketAddress remoteAddress();

  /**
   * Returns the body's length in bytes as the client announced it; 0 for none, negative if unknown.
   */
  long contentLength();
}
