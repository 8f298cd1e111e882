package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.PassThroughObserver;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** An observer of passed-through requests sees both directions and changes nothing. */
class PassThroughObserverTest {
  private static final String LAST = "end";

  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  private final class Looker implements PassThroughObserver.ExchangeObserver {
    private final StringBuilder body = new StringBuilder();
    private final StringBuilder answer = new StringBuilder();

    @Override
    public void onRequestBody(ByteBuffer part) {
      body.append(StandardCharsets.UTF_8.decode(part));
    }

    @Override
    public void onHead(int status, String contentType, String coding) {
      seen.add("asked " + body);
      answer.append(status).append(' ').append(contentType).append(coding).append(' ');
    }

    @Override
    public boolean onContent(ByteBuffer part) {
      answer.append(StandardCharsets.UTF_8.decode(part));
      return false;
    }

    @Override
    public void onComplete() {
      seen.add(answer.toString());
      seen.add(LAST);
    }

    @Override
    public void onFailure(int status) {
      seen.add("broken " + status);
    }

    @Override
    public void onDisconnect() {
      seen.add("gone");
    }
  }

  private HttpServerFixture.Setup watched(ScriptedNode node) {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup().passThrough(node.address());
    setup.router =
        (method, uri) ->
            new RequestRouter.PassThrough("test")
                .withObserver(head -> {
                  seen.add(head.method() + ' ' + head.uri() + ' ' + head.bodyLength());
                  return new Looker();
                });
    return setup;
  }

  private String next() throws InterruptedException {
    return String.valueOf(seen.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  @Test
  void seesRequestAndAnswer() throws Exception {
    try (ScriptedNode node = ScriptedNode.answering(200, "found");
        HttpServerFixture rig = watched(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/i/_search?q=x", "{\"size\":1}"));
      assertThat(wire.read().text()).isEqualTo("found");
      assertThat(next()).isEqualTo("POST /i/_search?q=x 10");
      assertThat(next()).isEqualTo("asked {\"size\":1}");
      assertThat(next()).startsWith("200 ").endsWith(" found");
      assertThat(next()).isEqualTo(LAST);
    }
    assertThat(seen).isEmpty();
  }

  @Test
  void showTheFinalResponseOfARepeatedRead() throws Exception {
    try (ScriptedNode full = ScriptedNode.answering(429, "full");
        ScriptedNode free = ScriptedNode.answering(200, "free")) {
      HttpServerFixture.Setup setup = watched(full);
      setup.nodes = List.of(full.address(), free.address());
      setup.proxyOptions = setup.proxyOptions.withRepeatable((method, uri) -> true);
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.post("/i/_search", "{}"));
        assertThat(wire.read().text()).isEqualTo("free");
        assertThat(next()).isEqualTo("POST /i/_search 2");
        assertThat(next()).isEqualTo("asked {}");
        assertThat(next()).startsWith("200 ").endsWith(" free");
        assertThat(next()).isEqualTo(LAST);
      }
    }
    assertThat(seen).isEmpty();
  }

  @Test
  void seesABodyThatWasGatheredFirst() throws Exception {
    try (ScriptedNode node = ScriptedNode.answering(200, "found")) {
      HttpServerFixture.Setup setup = watched(node);
      RequestRouter through = setup.router;
      setup.router =
          new RequestRouter() {
            @Override
            public Decision route(String method, String uri) {
              return new Coordinate("test");
            }

            @Override
            public PassThrough routeAfterBody(String method, String uri, String reason) {
              return (PassThrough) through.route(method, uri);
            }
          };
      setup.handler(exchange -> exchange.passThrough("late"));
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.post("/i/_search", "{}"));
        assertThat(wire.read().text()).isEqualTo("found");
        assertThat(next()).isEqualTo("POST /i/_search 2");
        assertThat(next()).isEqualTo("asked {}");
        assertThat(next()).endsWith(" found");
        assertThat(next()).isEqualTo(LAST);
      }
    }
  }

  @Test
  void hearsOnceThatThereIsNoAnswer() throws Exception {
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              conversation.reset();
            });
        HttpServerFixture rig = watched(node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/i/_search", "{}"));
      assertThat(wire.read().status()).isEqualTo(502);
      next();
      assertThat(next()).isEqualTo("broken 502");
    }
    assertThat(seen).isEmpty();
  }

  @Test
  void notifyADisconnectOnce() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (ScriptedNode node =
            new ScriptedNode(conversation -> {
              conversation.read();
              asked.countDown();
              conversation.awaitClose();
            });
        HttpServerFixture rig = watched(node).start()) {
      try (RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.post("/i/_search", "{}"));
        assertThat(asked.await(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      }
      next();
      assertThat(next()).isEqualTo("gone");
    }
    assertThat(seen).isEmpty();
  }
}
