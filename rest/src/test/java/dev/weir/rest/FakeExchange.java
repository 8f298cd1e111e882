package dev.weir.rest;

import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.model.RequestMemory;
import dev.weir.model.SectionedBody;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** An exchange in memory whose home is the test's thread: {@link #runHome()} runs what waits. */
public final class FakeExchange implements HttpExchange {
  private final String method;
  private final String uri;
  private final List<Map.Entry<String, String>> headers = new ArrayList<>();
  private final Queue<Runnable> home = new ArrayDeque<>();
  private final List<Runnable> onDisconnect = new ArrayList<>();
  private ByteBuffer body = ByteBuffer.allocate(0);
  private @Nullable SectionedBody sections;
  private Runnable onRespond = () -> {};
  private long arrivedNanos;
  private RequestMemory memory = RequestMemory.UNBOUNDED;
  private boolean inner;
  private boolean gone;
  private boolean dropped;
  private boolean bodyKept;
  private long number;
  private @Nullable BufferedResponse reply;
  private @Nullable String passedThrough;

  public FakeExchange(String method, String uri) {
    this.method = method;
    this.uri = uri;
  }

  FakeExchange header(String name, String value) {
    headers.add(Map.entry(name, value));
    return this;
  }

  FakeExchange arrived(long nanos) {
    arrivedNanos = nanos;
    return this;
  }

  public FakeExchange paidBy(RequestMemory by) {
    memory = by;
    return this;
  }

  FakeExchange madeByTheGateway() {
    inner = true;
    return this;
  }

  @Override
  public boolean isInternal() {
    return inner;
  }

  @Override
  public RequestMemory memory() {
    return memory;
  }

  public FakeExchange json(String text) {
    return body("application/json", text.getBytes(StandardCharsets.UTF_8));
  }

  FakeExchange body(String contentType, byte[] bytes) {
    body = ByteBuffer.wrap(bytes);
    return header("content-type", contentType);
  }

  FakeExchange body(byte[] bytes) {
    return body(ByteBuffer.wrap(bytes));
  }

  FakeExchange body(ByteBuffer buffer) {
    body = buffer;
    return this;
  }

  /** Runs what was put on the home, until nothing waits. */
  public void runHome() {
    for (Runnable task = home.poll(); task != null; task = home.poll()) {
      task.run();
    }
  }

  /** The client goes away. */
  void disconnect() {
    gone = true;
    onDisconnect.forEach(Runnable::run);
    runHome();
  }

  /** Does this the moment the request is answered. */
  void onRespond(Runnable action) {
    onRespond = action;
  }

  /** The answer's last byte has left. */
  public void flushed() {
    reply().onReleased().run();
    runHome();
  }

  /** Whether it ended without an answer. */
  boolean isDropped() {
    return dropped;
  }

  /** Whether its body's memory must not be used again. */
  boolean isBodyKept() {
    return bodyKept;
  }

  /** The gateway's number for it; 0 when it was not told. */
  long number() {
    return number;
  }

  boolean isAnswered() {
    return reply != null;
  }

  @Nullable String passedThrough() {
    return passedThrough;
  }

  public BufferedResponse reply() {
    if (reply == null) {
      throw new AssertionError("got no answer, passed through: " + passedThrough);
    }
    return reply;
  }

  public byte[] bytes() {
    return reply().body().toByteArray();
  }

  public String text() {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  /** The values of an answer's header. */
  List<String> replyHeader(String name) {
    return reply().headers().stream()
        .filter(header -> header.getKey().equalsIgnoreCase(name))
        .map(Map.Entry::getValue)
        .toList();
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

  FakeExchange sections(SectionedBody given) {
    sections = given;
    return this;
  }

  @Override
  public @Nullable SectionedBody sectionedBody() {
    return sections;
  }

  @Override
  public long arrivedNanos() {
    return arrivedNanos;
  }

  @Override
  public SocketAddress remoteAddress() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 50_000);
  }

  @Override
  public SocketAddress localAddress() {
    return new InetSocketAddress("127.0.0.1", 9200);
  }

  @Override
  public Executor eventLoop() {
    return home::add;
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
  public void respond(BufferedResponse answer) {
    checkFirst();
    if (gone) {
      answer.onReleased().run();
    } else {
      reply = answer;
      onRespond.run();
    }
  }

  @Override
  public void passThrough(String reason) {
    checkFirst();
    passedThrough = reason;
  }

  private void checkFirst() {
    if (reply != null || passedThrough != null || dropped) {
      throw new AssertionError("got a second answer (expected: one)");
    }
  }

  @Override
  public void drop() {
    checkFirst();
    dropped = true;
  }

  @Override
  public void retainBody() {
    bodyKept = true;
  }
}
