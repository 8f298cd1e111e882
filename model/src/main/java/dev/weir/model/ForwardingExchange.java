package dev.weir.model;

import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Forwards every method to another exchange; subclasses override what they change. */
public abstract class ForwardingExchange implements HttpExchange {
  private final HttpExchange exchange;

  public ForwardingExchange(HttpExchange exchange) {
    this.exchange = exchange;
  }

  @Override
  public String method() {
    return exchange.method();
  }

  @Override
  public String uri() {
    return exchange.uri();
  }

  @Override
  public String originalUri() {
    return exchange.originalUri();
  }

  @Override
  public String protocolVersion() {
    return exchange.protocolVersion();
  }

  @Override
  public List<Map.Entry<String, String>> headers() {
    return exchange.headers();
  }

  @Override
  public ByteBuffer body() {
    return exchange.body();
  }

  @Override
  public ByteBuffer originalBody() {
    return exchange.originalBody();
  }

  @Override
  public @Nullable SectionedBody sectionedBody() {
    return exchange.sectionedBody();
  }

  @Override
  public String tenant() {
    return exchange.tenant();
  }

  @Override
  public @Nullable ClientIdentity identity() {
    return exchange.identity();
  }

  @Override
  public RequestTrace trace() {
    return exchange.trace();
  }

  @Override
  public RequestPolicy policy() {
    return exchange.policy();
  }

  @Override
  public boolean isInternal() {
    return exchange.isInternal();
  }

  @Override
  public long arrivedNanos() {
    return exchange.arrivedNanos();
  }

  @Override
  public RequestMemory memory() {
    return exchange.memory();
  }

  @Override
  public SocketAddress remoteAddress() {
    return exchange.remoteAddress();
  }

  @Override
  public SocketAddress localAddress() {
    return exchange.localAddress();
  }

  @Override
  public Executor eventLoop() {
    return exchange.eventLoop();
  }

  @Override
  public void onDisconnect(Runnable action) {
    exchange.onDisconnect(action);
  }

  @Override
  public void assignTaskId(long id) {
    exchange.assignTaskId(id);
  }

  @Override
  public void markIncomplete() {
    exchange.markIncomplete();
  }

  @Override
  public void respond(BufferedResponse reply) {
    exchange.respond(reply);
  }

  @Override
  public void respond(StreamingResponse reply) {
    exchange.respond(reply);
  }

  @Override
  public void passThrough(String reason) {
    exchange.passThrough(reason);
  }

  @Override
  public void drop() {
    exchange.drop();
  }

  @Override
  public void retainBody() {
    exchange.retainBody();
  }
}
