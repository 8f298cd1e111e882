package dev.weir.model;

import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** An exchange that is another one, but for what is overridden. */
public abstract class ForwardingExchange implements HttpExchange {
  private final HttpExchange exchange;

  /** Makes it. */
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
  public String askedUri() {
    return exchange.askedUri();
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
  public ByteBuffer askedBody() {
    return exchange.askedBody();
  }

  @Override
  public @Nullable SectionedBody sections() {
    return exchange.sections();
  }

  @Override
  public String tenant() {
    return exchange.tenant();
  }

  @Override
  public Trace trace() {
    return exchange.trace();
  }

  @Override
  public RequestPolicy policy() {
    return exchange.policy();
  }

  @Override
  public boolean inner() {
    return exchange.inner();
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
  public Executor home() {
    return exchange.home();
  }

  @Override
  public void onDisconnect(Runnable action) {
    exchange.onDisconnect(action);
  }

  @Override
  public void numbered(long id) {
    exchange.numbered(id);
  }

  @Override
  public void lostNodes() {
    exchange.lostNodes();
  }

  @Override
  public void respond(HttpReply reply) {
    exchange.respond(reply);
  }

  @Override
  public void respond(StreamedReply reply) {
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
  public void keepBody() {
    exchange.keepBody();
  }
}
