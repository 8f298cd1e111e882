package dev.weir.admission.head;

import dev.weir.model.RequestHead;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A head made for a test. */
record TestRequestHead(
    String method,
    String uri,
    Map<String, String> headers,
    SocketAddress remoteAddress,
    long contentLength)
    implements RequestHead {

  static TestRequestHead get(String uri) {
    return new TestRequestHead("GET", uri, Map.of(), new InetSocketAddress("127.0.0.1", 5000), 0);
  }

  TestRequestHead with(String name, String value) {
    return new TestRequestHead(method, uri, Map.of(name, value), remoteAddress, contentLength);
  }

  TestRequestHead from(SocketAddress address) {
    return new TestRequestHead(method, uri, headers, address, contentLength);
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
