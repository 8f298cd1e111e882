package dev.weir.gateway.shadow;

import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.PolicyCompiler;
import dev.weir.model.RequestPolicy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/** A client in memory, whose home is whoever calls. */
final class TestClient implements HttpExchange {
  static final RequestPolicy POLICY = new PolicyCompiler<>("any").compile("logs", "any", null);

  private final String method;
  private final String uri;
  private final ByteBuffer body;
  private final List<String> told = new ArrayList<>();
  private final List<Runnable> unread = new ArrayList<>();

  TestClient(String method, String uri, String body) {
    this.method = method;
    this.uri = uri;
    this.body = ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8));
  }

  /** What it was told, such as {@code 200 text}. */
  List<String> told() {
    return told;
  }

  /** Takes the last byte of its answer. */
  void read() {
    unread.forEach(Runnable::run);
    unread.clear();
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
    return List.of(Map.entry("Authorization", "Basic eDp5"));
  }

  @Override
  public ByteBuffer body() {
    return body;
  }

  @Override
  public String tenant() {
    return "acme";
  }

  @Override
  public RequestPolicy policy() {
    return POLICY;
  }

  @Override
  public long arrivedNanos() {
    return 0;
  }

  @Override
  public SocketAddress remoteAddress() {
    return InetSocketAddress.createUnresolved("client", 1);
  }

  @Override
  public SocketAddress localAddress() {
    return InetSocketAddress.createUnresolved("gateway", 1);
  }

  @Override
  public Executor home() {
    return Runnable::run;
  }

  @Override
  public void onDisconnect(Runnable action) {}

  @Override
  public void numbered(long id) {}

  @Override
  public void lostNodes() {
    told.add("lost nodes");
  }

  @Override
  public void respond(HttpReply reply) {
    told.add(reply.status() + " " + new String(reply.body().bytes(), StandardCharsets.UTF_8));
    unread.add(reply.onReleased());
  }

  @Override
  public void passThrough(String reason) {
    told.add("through " + reason);
  }

  @Override
  public void drop() {
    told.add("dropped");
  }

  @Override
  public void keepBody() {}
}
