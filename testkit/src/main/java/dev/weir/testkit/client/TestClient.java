package dev.weir.testkit.client;

import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicy;
import dev.weir.model.StreamingResponse;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

/** An in-memory client that waits for its response. The calling thread is its event loop. */
public final class TestClient implements HttpExchange {
  private final String method;
  private final String uri;
  private final ByteBuffer body;
  private final List<Map.Entry<String, String>> headers = new ArrayList<>();
  private final List<Runnable> onDisconnect = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private final List<BufferedResponse> replies = new ArrayList<>();
  private final List<Runnable> unread = new ArrayList<>();
  private RequestPolicy policy = RequestPolicy.NONE;
  private String tenant = RequestContext.DEFAULT_TENANT;
  private long arrived;
  private long number;
  private boolean gone;

  public TestClient(String method, String uri, String body) {
    this.method = method;
    this.uri = uri;
    this.body = ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8));
  }

  public TestClient header(String name, String value) {
    headers.add(Map.entry(name, value));
    return this;
  }

  public TestClient policy(RequestPolicy own) {
    policy = own;
    return this;
  }

  public TestClient tenant(String name) {
    tenant = name;
    return this;
  }

  @Override
  public String tenant() {
    return tenant;
  }

  @Override
  public RequestPolicy policy() {
    return policy;
  }

  public TestClient arrived(long nanos) {
    arrived = nanos;
    return this;
  }

  /** Goes away, unless it was answered. */
  public void leave() {
    if (!gone && told.isEmpty()) {
      gone = true;
      List.copyOf(onDisconnect).forEach(Runnable::run);
    }
  }

  /** Takes the last byte of its answer. */
  public void read() {
    List.copyOf(unread).forEach(Runnable::run);
    unread.clear();
  }

  /** What it was told, such as {@code 200 text}; {@code 200 [id] text} with an opaque id. */
  public List<String> told() {
    return told;
  }

  public List<BufferedResponse> replies() {
    return replies;
  }

  public long number() {
    return number;
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
    return headers;
  }

  @Override
  public ByteBuffer body() {
    return body;
  }

  @Override
  public long arrivedNanos() {
    return arrived;
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
  public Executor eventLoop() {
    return Runnable::run;
  }

  @Override
  public void onDisconnect(Runnable action) {
    if (gone) {
      action.run();
    } else {
      onDisconnect.add(action);
    }
  }

  @Override
  public void assignTaskId(long id) {
    number = id;
  }

  @Override
  public void markIncomplete() {
    told.add("lost nodes");
  }

  @Override
  public void respond(BufferedResponse reply) {
    String text = new String(reply.body().toByteArray(), StandardCharsets.UTF_8);
    List<String> ids =
        reply.headers().stream()
            .filter(header -> header.getKey().equals("X-Opaque-Id"))
            .map(Map.Entry::getValue)
            .toList();
    told.add(reply.status() + " " + (ids.isEmpty() ? "" : ids + " ") + text);
    replies.add(reply);
    unread.add(reply.onReleased());
  }

  @Override
  public void respond(StreamingResponse reply) {
    told.add(reply.status() + " streamed");
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
  public void retainBody() {}
}
