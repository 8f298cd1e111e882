package dev.weir.http.response;

import dev.weir.http.options.HttpCompression;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpVersion;

/**
 * The connection as a {@link ResponseWriter} sees it. Called on the request's event loop, and only
 * after all earlier responses of the connection.
 */
public interface ResponseChannel {
  /** Returns the request's HTTP version, which the response repeats. */
  HttpVersion protocolVersion();

  /**
   * Returns whether the request's method is HEAD; its response has no body whatever its length
   * header says.
   */
  boolean isHeadRequest();

  /** Returns how to compress the body. */
  HttpCompression compression();

  /** Returns the allocator of the response's buffers. */
  ByteBufAllocator allocator();

  /**
   * Returns whether the client takes more now; {@link ResponseWriter#resume} is called when it
   * does.
   */
  boolean isWritable();

  /** Adds the headers of a body whose length is unknown. */
  void markChunked(HttpHeaders headers);

  /** Adds the headers that tell whether the connection stays open. */
  void addConnectionHeaders(HttpHeaders headers);

  /**
   * Writes a part of the response.
   *
   * @param bytes of the body in this part
   * @return completes when the part was written to the socket
   */
  ChannelFuture write(HttpObject part, int bytes);

  /** Writes the last part; the connection then starts its next response. */
  void writeLast(HttpObject part, int bytes);

  /** Tells that the response holds memory until the client has read all of it. */
  default void holdResponse(long bytes) {}

  /** Tells that the response no longer holds memory. */
  default void releaseResponse(long bytes) {}

  /** Flushes written parts to the socket. */
  void flush();

  /** Runs a task after the event loop has served its other connections. */
  void executeLater(Runnable task);

  /** Makes the exchange call {@link ResponseWriter#resume}, and handle what that throws. */
  void resumeResponse();

  /** Closes the connection, so that the client does not take a truncated response for complete. */
  void abortResponse();
}
