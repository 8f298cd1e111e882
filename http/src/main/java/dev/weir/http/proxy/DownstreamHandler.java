package dev.weir.http.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.InetSocketAddress;

/**
 * The client's side of a proxied request. Called on its event loop. No method is called after the
 * first {@link #onEnd} or {@link #onFailure}.
 */
public interface DownstreamHandler {

  /**
   * Called when the request is about to be sent to a node; again for each further node that is
   * tried.
   */
  default void onNode(InetSocketAddress node) {}

  /** Stops the request's body: the node's connection takes no more for now, or is not open yet. */
  void pauseBody();

  /** Resumes the request's body. */
  void resumeBody();

  /**
   * Called with the headers of the node's response.
   *
   * @param headers without hop-by-hop headers; the callee may change them
   */
  void onHeaders(HttpResponseStatus status, HttpHeaders headers);

  /** Called with a chunk of the node's response; the callee releases it. */
  void onContent(ByteBuf content);

  /** Called when all chunks that were read so far are delivered: time to flush. */
  void onReadComplete();

  /** Called when the node's response is complete. */
  void onEnd();

  /** Called when the node's response, or the rest of it, will not come. */
  void onFailure(ProxyFailure failure);

  /**
   * Returns whether the client takes more of the response now. When it does again, call {@link
   * ProxiedRequest#resumeResponse}.
   */
  boolean isWritable();
}
