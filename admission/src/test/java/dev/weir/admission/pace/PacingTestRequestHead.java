package dev.weir.admission.pace;

import dev.weir.model.RequestHead;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A head without headers. */
record PacingTestRequestHead(
    String method, String uri, SocketAddress remoteAddress, long contentLength)
    implements RequestHead {
  @Override
  public @Nullable String header(String name) {
    return null;
  }

  @Override
  public List<String> headers(String name) {
    return List.of();
  }

  @Override
  public long arrivedNanos() {
    return 0;
  }
}
