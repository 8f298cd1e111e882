package dev.weir.http.identity;

import io.netty.handler.codec.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/**
 * The user whom a client's certificate names, as headers for a node.
 *
 * @param roles separated by commas; null for none
 */
record CertificateIdentity(
    String userHeader, String user, String rolesHeader, @Nullable String roles) {
  void addTo(HttpHeaders headers) {
    headers.set(userHeader, user);
    if (roles != null) {
      headers.set(rolesHeader, roles);
    }
  }
}
