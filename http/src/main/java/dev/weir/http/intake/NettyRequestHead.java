package dev.weir.http.intake;

import dev.weir.model.RequestHead;
import io.netty.handler.codec.http.HttpRequest;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request as the codec decoded it.
 *
 * @param contentLength 0 for no body, negative when its length is not known
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
