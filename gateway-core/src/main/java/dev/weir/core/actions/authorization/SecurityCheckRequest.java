package dev.weir.core.actions.authorization;

import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * A request of the gateway's own to a node, with a client's credentials, about what the client may
 * do. It holds nothing of the client's exchange, which may have ended before the node answers.
 * Immutable.
 */
public final class SecurityCheckRequest implements HttpExchange {
  private static final String JSON = "application/json";

  private final String method;
  private final String uri;
  private final ClientCredentials credentials;
  private final byte[] body;
  private final Executor eventLoop;

  /**
   * Creates a question.
   *
   * @param eventLoop one of the gateway's event loops
   * @param body empty for none, JSON, or lines of a bulk
   */
  SecurityCheckRequest(
      String method, String uri, ClientCredentials credentials, String body, Executor eventLoop) {
    this.method = method;
    this.uri = uri;
    this.credentials = credentials;
    this.body = body.getBytes(StandardCharsets.UTF_8);
    this.eventLoop = eventLoop;
  }

  /** Creates the question whether a client may do something. */
  static SecurityCheckRequest of(PermissionCheck check, AuthorizedClient client) {
    return new SecurityCheckRequest(
        check.method(), check.uri(), client.credentials(), check.body(), client.eventLoop());
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public String uri() {
    return uri;
  }

  @Override
  public String protocolVersion() {
    return "HTTP/1.1";
  }

  @Override
  public List<Map.Entry<String, String>> headers() {
    if (body.length == 0) {
      return credentials.headers();
    }
    List<Map.Entry<String, String>> headers = new ArrayList<>(credentials.headers());
    headers.add(Map.entry("content-type", JSON));
    return headers;
  }

  @Override
  public ByteBuffer body() {
    return ByteBuffer.wrap(body);
  }

  @Override
  public boolean isInternal() {
    return true;
  }

  @Override
  public long arrivedNanos() {
    return System.nanoTime();
  }

  @Override
  public SocketAddress remoteAddress() {
    return credentials.address();
  }

  @Override
  public SocketAddress localAddress() {
    return credentials.address();
  }

  @Override
  public Executor eventLoop() {
    return eventLoop;
  }

  @Override
  public void onDisconnect(Runnable action) {}

  @Override
  public void assignTaskId(long id) {}

  @Override
  public void respond(BufferedResponse reply) {
    throw new UnsupportedOperationException("got a response to a question of the gateway's own");
  }

  @Override
  public void passThrough(String reason) {
    throw new UnsupportedOperationException("got a pass-through of a question to a node");
  }

  @Override
  public void drop() {}

  @Override
  public void retainBody() {}
}
