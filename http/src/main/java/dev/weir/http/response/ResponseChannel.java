package dev.weir.http.response;

import dev.weir.http.options.HttpCompression;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpVersion;

/**
 * Where a {@link ResponseWriter} writes one response to. Called on the request's event loop, and
 * only after all earlier responses of the connection.
 */
public interface ResponseChannel {
  /** The version of the request, which the response repeats. */
  HttpVersion protocolVersion();

  /** Whether the response has no body whatever its length header says. */
  boolean isHeadRequest();

  /** How to compress the body. */
  HttpCompression compression();

  /** Where buffers come from. */
  ByteBufAllocator allocator();

  /** Whether the client takes more now; {@link ResponseWriter#resume} is called when it does. */
  boolean isWritable();

  /** Adds the headers of a body whose length is unknown. */
  void markChunked(HttpHeaders headers);

  /** Adds the headers that say whether the connection stays open. */
  void addConnectionHeaders(HttpHeaders headers);

  /**
   * Writes a part of the response.
   *
   * @param bytes of the body that the part carries
   * @return completes when the part has left
   */
  ChannelFuture write(HttpObject part, int bytes);

  /** Writes the last part; the connection then starts its next response. */
  void writeLast(HttpObject part, int bytes);

  /** Sends what was written. */
  void flush();

  /** Runs a task after the event loop has served its other connections. */
  void executeLater(Runnable task);

  /** Lets the exchange call {@link ResponseWriter#resume}, and handle what that throws. */
  void resumeResponse();

  /** Closes the connection, so that the client doesn't take a cut response for complete. */
  void abortResponse();
}
