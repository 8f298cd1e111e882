package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.proxy.InternalProxiedRequest;
import dev.weir.model.HttpExchange;
import dev.weir.model.NodeResponseListener;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Requests of the gateway itself that nodes answer. */
class InternalProxiedRequestTest {
  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private boolean wantsMore = true;

  private final NodeResponseListener parts =
      new NodeResponseListener() {
        private final StringBuilder answer = new StringBuilder();

        @Override
        public void onHead(int status, String contentType, String coding) {
          answer.append(status).append(' ').append(contentType).append(' ');
        }

        @Override
        public boolean onContent(ByteBuffer part) {
          answer.append(StandardCharsets.UTF_8.decode(part));
          return wantsMore;
        }

        @Override
        public void onComplete() {
          heard.add(answer.toString());
        }

        @Override
        public void onFailure(int status) {
          heard.add("broken " + status);
        }
      };

  private static HttpServerFixture rig(InetSocketAddress node) throws Exception {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup();
    setup.router = (method, uri) -> new RequestRouter.Coordinate("test");
    setup.nodes = List.of(node);
    return setup.start();
  }

  private String next() throws InterruptedException {
    return String.valueOf(heard.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  /** Sends a copy of a received request to a node; returns what stops it. */
  private CompletableFuture<Runnable> repeat(HttpServerFixture rig, HttpExchange exchange) {
    CompletableFuture<Runnable> stop = new CompletableFuture<>();
    HttpServerFixture.onHome(
        exchange,
        () ->
            stop.complete(
                InternalProxiedRequest.send(
                    rig.proxy, (EventLoop) exchange.eventLoop(), exchange, parts)));
    return stop;
  }

  private static void answer(HttpExchange exchange) {
    HttpServerFixture.onHome(exchange, () -> exchange.respond(HttpServerFixture.reply(200, "ok")));
  }

  @Test
  void forwardTheClientsHeadersWithoutTraceAndCoding() throws Exception {
    CompletableFuture<ScriptedNode.Request> seen = new CompletableFuture<>();
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              seen.complete(conversation.read());
              conversation.answer(200, "found", "content-type: text/plain");
              conversation.awaitClose();
            });
        HttpServerFixture rig = rig(node.address());
        RawHttpConnection wire = rig.connect()) {
      wire.send(
          RawHttpConnection.post(
              "/i/_search?size=1&trim=lean",
              "{}",
              "Authorization: Basic eDp5",
              "Accept-Encoding: gzip",
              "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
              "tracestate: a=b",
              "Connection: keep-alive, x-own",
              "X-Own: 1"));
      HttpExchange exchange = rig.take();
      HttpServerFixture.await(repeat(rig, exchange));
      assertThat(next()).isEqualTo("200 text/plain found");
      answer(exchange);
      assertThat(wire.read().status()).isEqualTo(200);
      ScriptedNode.Request request = HttpServerFixture.await(seen);
      assertThat(request.line()).isEqualTo("POST /i/_search?size=1 HTTP/1.1");
      assertThat(request.text()).isEqualTo("{}");
      assertThat(request.headers())
          .containsEntry("Authorization", "Basic eDp5")
          .containsEntry("Content-Length", "2")
          .containsEntry("Host", "test")
          .doesNotContainKeys(
              "Accept-Encoding", "traceparent", "tracestate", "X-Own", "Transfer-Encoding");
    }
    assertThat(heard).isEmpty();
  }

  @Test
  void stopReadingUnwantedContent() throws Exception {
    wantsMore = false;
    CountDownLatch closed = new CountDownLatch(1);
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              conversation.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nbegun");
              conversation.awaitClose();
              closed.countDown();
            });
        HttpServerFixture rig = rig(node.address());
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/i/_search"));
      HttpExchange exchange = rig.take();
      HttpServerFixture.await(repeat(rig, exchange));
      assertThat(next()).isEqualTo("200  begun");
      assertThat(closed.await(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      answer(exchange);
      wire.read();
    }
    assertThat(heard).isEmpty();
  }

  @Test
  void notifyNothingAfterStop() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              asked.countDown();
              conversation.awaitClose();
              closed.countDown();
            });
        HttpServerFixture rig = rig(node.address());
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/i/_search"));
      HttpExchange exchange = rig.take();
      Runnable stop = HttpServerFixture.await(repeat(rig, exchange));
      assertThat(asked.await(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      HttpServerFixture.onHome(exchange, stop);
      HttpServerFixture.onHome(exchange, stop);
      assertThat(closed.await(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      answer(exchange);
      wire.read();
    }
    assertThat(heard).isEmpty();
  }

  @Test
  void reportALostNode() throws Exception {
    try (HttpServerFixture rig = rig(ScriptedNode.nowhere());
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.get("/i/_search"));
      HttpExchange exchange = rig.take();
      HttpServerFixture.await(repeat(rig, exchange));
      assertThat(next()).isEqualTo("broken 503");
      answer(exchange);
      wire.read();
    }
    assertThat(heard).isEmpty();
  }
}
