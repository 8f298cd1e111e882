package dev.weir.gateway.admin;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request on the admin port.
 *
 * @param method {@code GET} for a HEAD request, too
 * @param uri as sent, with the query
 * @param path without the query, undecoded
 * @param query decoded parameters by name; the first value of a repeated parameter
 */
record AdminRequest(
    String method,
    String uri,
    String path,
    Map<String, String> query,
    HttpHeaders headers,
    Peer peer) {

  /**
   * The other end of the connection.
   *
   * @param address with the port
   * @param certificateName the subject of a verified client certificate; null without one
   */
  record Peer(String address, @Nullable String certificateName) {}
}
