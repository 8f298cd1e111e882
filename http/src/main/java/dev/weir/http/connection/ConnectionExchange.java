package dev.weir.http.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response, as its {@link ClientConnection} drives it. Called on the
 * connection's event loop. As a listener it hears when the last part of the response has left.
 */
public interface ConnectionExchange extends ChannelFutureListener {
  /**
   * Decides by the request's headers what to do with it.
   *
   * @param whole the body when it came with the headers, borrowed; null when it follows
   */
  void start(@Nullable ByteBuf whole);

  /** Whether a header filter delays the request: its body must wait too. */
  boolean isAwaitingAdmission();

  /** A piece of the body arrived; borrowed. */
  void onBodyChunk(ByteBuf piece);

  /** The body is complete. */
  void onBodyEnd();

  /** The codec could not decode the rest of the request. */
  void onDecodingFailure(Throwable failure);

  /** Whether there is a response, begun or not, or none is needed any more. */
  boolean hasResponse();

  /** Earlier responses have left: writes the response, if there is one. */
  void startResponse();

  /** The client takes more of the response. */
  void resumeResponse();

  /** Counts bytes of the response's body. */
  void onBytesSent(int bytes);

  /** Whether the connection closes after the response. */
  boolean shouldClose();

  /** The client disconnected before the response had left. */
  void onClientDisconnected();
}
