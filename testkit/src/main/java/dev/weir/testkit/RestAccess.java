package dev.weir.testkit;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How a client speaks to a REST port: with or without TLS, and with which credentials.
 *
 * @param tls what the client trusts, and the certificate that it shows; null for plain HTTP
 * @param headers headers of each request, such as {@code Authorization}
 */
public record RestAccess(@Nullable SSLContext tls, Map<String, String> headers) {
  /** Plain HTTP without credentials. */
  public static final RestAccess PLAIN = new RestAccess(null, Map.of());

  /** Copies the headers. */
  public RestAccess {
    headers = Map.copyOf(headers);
  }

  /** Returns a copy with one more header. */
  public RestAccess withHeader(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new RestAccess(tls, more);
  }

  /** The URI of a port. */
  URI endpoint(String host, int port) {
    return URI.create((tls == null ? "http://" : "https://") + host + ":" + port);
  }
}
