package dev.weir.gateway.admin;

import io.netty.handler.codec.http.EmptyHttpHeaders;
import java.util.Map;

/** Requests of tests on the admin port. */
final class AdminRequests {
  private AdminRequests() {}

  static AdminRequest post(String uri) {
    return new AdminRequest(
        "POST",
        uri,
        uri.replaceAll("\\?.*", ""),
        Map.of(),
        EmptyHttpHeaders.INSTANCE,
        new AdminRequest.Peer("127.0.0.1:50000", null));
  }
}
