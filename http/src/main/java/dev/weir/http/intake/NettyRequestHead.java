package dev.weir.http.intake;

import dev.weir.model.RequestHead;
import io.netty.handler.codec.http.HttpRequest;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request's headers as Netty's codec decoded them.
 *
 * @param contentLength of the body in bytes; 0 for no body, negative when unknown
 */
record NettyRequestHead(
    HttpRequest request, SocketAddress remoteAddress, long arrivedNanos, long contentLength)
    implements RequestHead {
  @Override
  public String method() {
    return request.method().name();
  }

  @Override
  public String uri() {
    return request.uri();
  }

  @Override
  public @Nullable String header(String name) {
    return request.headers().get(name);
  }

  @Override
  public List<String> headers(String name) {
    return request.headers().getAll(name);
  }
}
