package dev.weir.http.proxy;

import dev.weir.http.connection.ClientNetwork;
import dev.weir.http.connection.ClientPeer;
import dev.weir.http.identity.ForwardedForAppender;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/** A request to a node. {@link NodeProxy#open} takes ownership of it and its body. */
public final class UpstreamRequest {

  private final HttpMethod method;
  private final String uri;
  private final HttpHeaders headers;
  private final @Nullable ByteBuf body;
  private @Nullable ClientNetwork client;

  /**
   * Creates a request.
   *
   * @param uri as received; a character stands for each byte
   * @param headers as received; hop-by-hop headers are removed from it
   * @param body the whole body, {@link io.netty.buffer.Unpooled#EMPTY_BUFFER} for none; null when
   *     it follows by {@link ProxiedRequest#acceptContent}
   */
  public UpstreamRequest(
      HttpMethod method, String uri, HttpHeaders headers, @Nullable ByteBuf body) {
    this.method = method;
    this.uri = RawUriBytes.escape(uri);
    this.headers = headers;
    this.body = body;
    // The gateway does not decode transfer codings besides chunked, so the node must see their
    // names.
    String coding = headers.get(HttpHeaderNames.TRANSFER_ENCODING);
    HopByHopHeaders.strip(headers);
    if (body == null && !headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
      headers.set(
          HttpHeaderNames.TRANSFER_ENCODING, coding == null ? HttpHeaderValues.CHUNKED : coding);
    }
  }

  /**
   * Creates the request that a node receives from a client's request, without the gateway's own
   * parameters and with the client's address.
   *
   * @param whole the body, owned; null when it follows
   * @param client uses its share of the connections
   */
  public static UpstreamRequest of(
      HttpRequest request, @Nullable ByteBuf whole, ClientPeer client) {
    HttpHeaders headers = request.headers();
    ForwardedForAppender.append(headers, client.address());
    if (request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
      headers.remove(HttpHeaderNames.ACCEPT_ENCODING); // a node compresses nothing for HTTP/1.0
    }
    if (whole != null && whole.isReadable() && !headers.contains(HttpHeaderNames.CONTENT_LENGTH)) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, whole.readableBytes());
    }
    UpstreamRequest upstream =
        new UpstreamRequest(
            request.method(), GatewayParameterStripper.strip(request.uri()), headers, whole);
    upstream.client = client.network();
    return upstream;
  }

  /** Returns whose share of the connections the request uses; null for the gateway's own. */
  @Nullable ClientNetwork client() {
    return client;
  }

  HttpMethod method() {
    return method;
  }

  String uri() {
    return uri;
  }

  HttpHeaders headers() {
    return headers;
  }

  @Nullable ByteBuf body() {
    return body;
  }

  boolean isStreaming() {
    return body == null;
  }

  /** Returns whether the request is idempotent (RFC 9110, 9.2.2) and its body is available. */
  boolean isRetryable() {
    return body != null
        && (method.equals(HttpMethod.GET)
            || method.equals(HttpMethod.HEAD)
            || method.equals(HttpMethod.OPTIONS));
  }

  void release() {
    if (body != null) {
      body.release();
    }
  }
}
