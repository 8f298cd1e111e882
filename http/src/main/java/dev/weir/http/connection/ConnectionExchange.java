package dev.weir.http.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response, driven by their {@link ClientConnection} on its event loop. The
 * exchange is also the listener of its response's last write.
 */
public interface ConnectionExchange extends ChannelFutureListener {
  /**
   * Decides by the request's headers how to serve it.
   *
   * @param whole the body when it came with the headers, borrowed; null when it follows
   */
  void start(@Nullable ByteBuf whole);

  /** Returns whether the header filter delays the request, whose body must then wait too. */
  boolean isAwaitingAdmission();

  /** Called for each chunk of the body; the caller releases it. */
  void onBodyChunk(ByteBuf piece);

  void onBodyEnd();

  /** Called when the codec can't decode the rest of the request. */
  void onDecodingFailure(Throwable failure);

  /** Returns whether a response has begun or is ready, or none is needed any more. */
  boolean hasResponse();

  /** Writes the response, if there is one. Called when all earlier responses have left. */
  void startResponse();

  /** Called when the client takes more of the response. */
  void resumeResponse();

  /** Counts bytes of the response's body. */
  void onBytesSent(int bytes);

  /** Closes the connection after the response. */
  void closeAfterResponse();

  /** Returns whether the connection closes after the response. */
  boolean shouldClose();

  /** Called when the client disconnected before the whole response had left. */
  void onClientDisconnected();
}
