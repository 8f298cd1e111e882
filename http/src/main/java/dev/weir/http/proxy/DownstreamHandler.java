package dev.weir.http.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.InetSocketAddress;

/**
 * The client's side of a passage. Called on its event loop. After the first of {@link #onEnd} and
 * {@link #onFailure} nothing more is called.
 */
public interface DownstreamHandler {

  /** The request goes to this node, after others that it did not get to. */
  default void onNode(InetSocketAddress node) {}

  /** Stops the request's body: the node, or the way to it, takes no more now. */
  void pauseBody();

  /** Lets the request's body flow again. */
  void resumeBody();

  /**
   * The head of the node's answer.
   *
   * @param headers the node's, without those for one connection only; the client's to change
   */
  void onHeaders(HttpResponseStatus status, HttpHeaders headers);

  /** A part of the node's answer; the client releases it. */
  void onContent(ByteBuf content);

  /** All that the node has sent so far was handed over: time to flush. */
  void onReadComplete();

  /** The node's answer is complete. */
  void onEnd();

  /** There is no answer, or no more of it. */
  void onFailure(ProxyFailure failure);

  /**
   * Whether the client takes more of the answer now; {@link ProxiedRequest#resumeResponse} when
   * again.
   */
  boolean isWritable();
}
