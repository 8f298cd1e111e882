package dev.weir.admission.head;

import dev.weir.model.RequestHead;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A head made for a test. */
record Head(
    String method,
    String uri,
    Map<String, String> headers,
    SocketAddress remoteAddress,
    long bodyBytes)
    implements RequestHead {

  static Head get(String uri) {
    return new Head("GET", uri, Map.of(), new InetSocketAddress("127.0.0.1", 5000), 0);
  }

  Head with(String name, String value) {
    return new Head(method, uri, Map.of(name, value), remoteAddress, bodyBytes);
  }

  Head from(SocketAddress address) {
    return new Head(method, uri, headers, address, bodyBytes);
  }

  @Override
  public @Nullable String header(String name) {
    return headers.get(name);
  }

  @Override
  public List<String> headers(String name) {
    String value = headers.get(name);
    return value == null ? List.of() : List.of(value);
  }

  @Override
  public long arrivedNanos() {
    return 0;
  }
}
