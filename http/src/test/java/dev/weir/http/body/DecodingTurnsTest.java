package dev.weir.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.weir.http.HttpServerFixture;
import dev.weir.http.LineStreaming;
import dev.weir.http.ScriptedNode;
import dev.weir.http.SectionWorker;
import dev.weir.model.RequestHandler;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Compressed bodies that come whole in one read and take several turns to decode. */
class DecodingTurnsTest {
  private static final int OVER = 30_000;

  private final BlockingQueue<ScriptedNode.Request> seen = new LinkedBlockingQueue<>();

  private ScriptedNode node() throws IOException {
    return new ScriptedNode(conversation -> {
      while (true) {
        seen.add(conversation.read());
        conversation.answer(200, "from the node");
      }
    });
  }

  private ScriptedNode.Request seen() throws InterruptedException {
    ScriptedNode.Request request = seen.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(request).as("a request at the node").isNotNull();
    return request;
  }

  private static byte[] request(byte[] coded, String... headers) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(
        ("POST /_bulk HTTP/1.1\r\nHost: x\r\n"
                + String.join("\r\n", headers)
                + "\r\nContent-Length: "
                + coded.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    out.writeBytes(coded);
    return out.toByteArray();
  }

  private static byte[] lines(int bytes) {
    byte[] body = new byte[bytes];
    Arrays.fill(body, (byte) 'x');
    for (int i = 99; i < bytes; i += 100) {
      body[i] = '\n';
    }
    return body;
  }

  private static HttpServerFixture.Setup tellingLengths() {
    return new HttpServerFixture.Setup()
        .handler(exchange ->
            exchange.respond(HttpServerFixture.reply(200, "" + exchange.body().remaining())));
  }

  private static HttpServerFixture.Setup streaming(RequestHandler handler) {
    HttpServerFixture.Setup setup = new HttpServerFixture.Setup().handler(handler);
    LineStreaming terms = new LineStreaming(OVER, 8 << 10, 64 << 10, 10_000);
    setup.router = (method, uri) -> new RequestRouter.Coordinate("bulk", terms);
    setup.budget = 16 << 20;
    return setup;
  }

  /** A request whose body uses up the turn, so that the next one waits. */
  private static byte[] longRequest() throws IOException {
    return request(
        BufferedBodyTest.gzip(lines(2_000_000)),
        "Content-Encoding: gzip",
        "Content-Type: text/whole");
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  @Test
  void decodeAllBodiesOfAPipeline() throws Exception {
    int count = 20;
    byte[] one = request(BufferedBodyTest.gzip(new byte[1_200_000]), "Content-Encoding: gzip");
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      all.writeBytes(one);
    }
    try (HttpServerFixture rig = tellingLengths().start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(all.toByteArray());
      for (int i = 0; i < count; i++) {
        assertThat(wire.read().text()).isEqualTo("1200000");
      }
    }
  }

  @Test
  void leaveNothingWhenTheClientGoesMeanwhile() throws Exception {
    byte[] one = request(BufferedBodyTest.gzip(new byte[5_000_000]), "Content-Encoding: gzip");
    try (HttpServerFixture rig = tellingLengths().start()) {
      for (int i = 0; i < 10; i++) {
        try (RawHttpConnection wire = rig.connect()) {
          wire.send(one);
          wire.reset();
        }
      }
    }
  }

  @Test
  void rejectWhatTurnsOutTooLongAfterItsLastByte() throws Exception {
    HttpServerFixture.Setup setup = HttpServerFixture.echoing();
    setup.router = (method, uri) -> new RequestRouter.RespondLocally("test");
    setup.budget = 4 << 20;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(request(BufferedBodyTest.gzip(new byte[6 << 20]), "Content-Encoding: gzip"));
      assertThat(wire.read().status()).isIn(413, 429);
    }
  }

  @Test
  void passThroughWhatTurnsOutTooLongAfterItsLastByte() throws Exception {
    byte[] body = lines(6_000_000);
    byte[] coded = BufferedBodyTest.gzip(body);
    try (ScriptedNode node = node()) {
      HttpServerFixture.Setup setup = HttpServerFixture.echoing();
      setup.nodes = List.of(node.address());
      setup.budget = 8 << 20;
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(request(coded, "Content-Encoding: gzip"));
        assertThat(wire.read().text()).isEqualTo("from the node");
        assertThat(seen().body()).isEqualTo(coded);

        wire.send(request(Zstd.compress(body), "Content-Encoding: zstd"));
        assertThat(wire.read().text()).isEqualTo("from the node");
        assertThat(seen().body()).isEqualTo(body);
        assertThat(rig.log().reason()).isEqualTo("large-body");
      }
    }
  }

  @Test
  void processInSectionsWhatTurnsOutLongAfterItsLastByte() throws Exception {
    byte[] next = request(BufferedBodyTest.gzip(lines(100_000)), "Content-Encoding: gzip");
    try (HttpServerFixture rig =
            streaming(exchange -> new SectionWorker(2).handle(exchange)).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(join(longRequest(), next));
      assertThat(wire.read().text()).isEqualTo("whole: 2000000");
      assertThat(wire.read().text()).isEqualTo("lines: 1000");
    }
  }

  @Test
  void passSectionsThroughThatTurnOutLongAfterTheirLastByte() throws Exception {
    byte[] body = lines(3_000_000);
    try (ScriptedNode node = node()) {
      HttpServerFixture.Setup setup =
          streaming(exchange -> {
            if (exchange.sectionedBody() == null) {
              exchange.respond(HttpServerFixture.reply(200, "whole"));
            } else {
              exchange.passThrough("pipeline");
            }
          });
      setup.nodes = List.of(node.address());
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(join(longRequest(), request(Zstd.compress(body), "Content-Encoding: zstd")));
        assertThat(wire.read().text()).isEqualTo("whole");
        assertThat(wire.read().text()).isEqualTo("from the node");
        assertThat(seen().body()).isEqualTo(body);
      }
    }
  }
}
