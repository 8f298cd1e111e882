package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Failover of passed-through requests with their bodies. */
class PassThroughFailoverTest {
  private static final String CHUNKED =
      "POST /a HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n";

  private final BlockingQueue<ScriptedNode.Request> seen = new LinkedBlockingQueue<>();
  private final AtomicInteger broken = new AtomicInteger();
  private ScriptedNode elsewhere;
  private ScriptedNode breaking;

  @BeforeEach
  void start() throws IOException {
    elsewhere =
        new ScriptedNode(conversation -> {
          while (true) {
            ScriptedNode.Request request = conversation.read();
            seen.add(request);
            conversation.answer(200, "elsewhere: " + request.body().length);
          }
        });
    breaking =
        new ScriptedNode(conversation -> {
          conversation.read();
          broken.incrementAndGet();
        });
  }

  @AfterEach
  void end() throws IOException {
    elsewhere.close();
    breaking.close();
  }

  private HttpServerFixture.Setup withoutNodes() throws IOException {
    return new HttpServerFixture.Setup()
        .passThrough(ScriptedNode.nowhere())
        .elsewhere(elsewhere.address());
  }

  private HttpServerFixture.Setup thatBreak() {
    return new HttpServerFixture.Setup()
        .passThrough(breaking.address())
        .elsewhere(elsewhere.address());
  }

  private void bodiesGoElsewhere(HttpServerFixture rig, RawHttpConnection wire) throws Exception {
    assertThat(wire.send(RawHttpConnection.get("/a")).read().text()).isEqualTo("elsewhere: 0");
    assertThat(seen.take().text()).isEmpty();
    assertThat(wire.send(RawHttpConnection.post("/a", "with the head")).read().text())
        .isEqualTo("elsewhere: 13");
    assertThat(seen.take().text()).isEqualTo("with the head");

    String apart = RawHttpConnection.post("/a", "after the head");
    wire.send(apart.substring(0, apart.length() - 14));
    assertThat(wire.send("after the ").send("head").read().text()).isEqualTo("elsewhere: 14");
    assertThat(seen.take().text()).isEqualTo("after the head");

    assertThat(wire.send(CHUNKED + "3\r\nin \r\n6\r\npieces\r\n0\r\n\r\n").read().text())
        .isEqualTo("elsewhere: 9");
    assertThat(seen.take().text()).isEqualTo("in pieces");
    assertThat(wire.send(CHUNKED + "0\r\n\r\n").read().text()).isEqualTo("elsewhere: 0");
    assertThat(seen.take().text()).isEmpty();
    for (int i = 0; i < 5; i++) {
      assertThat(rig.log().status()).isEqualTo(200);
    }
  }

  @Test
  void failOverWithoutAReachableNode() throws Exception {
    try (HttpServerFixture rig = withoutNodes().start();
        RawHttpConnection wire = rig.connect()) {
      bodiesGoElsewhere(rig, wire);
    }
  }

  @Test
  void failOverWhenTheConnectionBreaks() throws Exception {
    try (HttpServerFixture rig = thatBreak().start();
        RawHttpConnection wire = rig.connect()) {
      bodiesGoElsewhere(rig, wire);
    }
    assertThat(broken).hasValue(5);
  }

  /** No part of the body was read, so no copy is necessary. */
  @Test
  void failOverALongBodyWithoutAReachableNode() throws Exception {
    String body = "x".repeat(3 << 20);
    try (HttpServerFixture rig = withoutNodes().start();
        RawHttpConnection wire = rig.connect()) {
      assertThat(wire.send(RawHttpConnection.post("/a", body)).read().text())
          .isEqualTo("elsewhere: " + body.length());
      assertThat(wire.send(RawHttpConnection.post("/b", "next")).read().text())
          .isEqualTo("elsewhere: 4");
    }
  }

  @Test
  void doNotResendABodyTooLongToCopy() throws Exception {
    String body = "x".repeat((1 << 20) + 1);
    try (HttpServerFixture rig = thatBreak().start();
        RawHttpConnection wire = rig.connect()) {
      assertThat(wire.send(RawHttpConnection.post("/a", body)).read().status()).isEqualTo(502);
      wire.send(CHUNKED + Integer.toHexString(body.length()) + "\r\n" + body + "\r\n0\r\n\r\n");
      assertThat(wire.read().status()).isEqualTo(502);
      assertThat(wire.send(RawHttpConnection.post("/b", "next")).read().text())
          .isEqualTo("elsewhere: 4");
    }
    assertThat(seen).hasSize(1);
  }

  @Test
  void copyNothingWithoutMemory() throws Exception {
    HttpServerFixture.Setup setup = thatBreak();
    setup.budget = 100;
    try (HttpServerFixture rig = setup.start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/a", "after the head"));
      assertThat(wire.read().status()).isEqualTo(502);
    }
    assertThat(seen).isEmpty();
  }

  @Test
  void reportTheFailureOfBothClusters() throws Exception {
    try (HttpServerFixture rig =
            new HttpServerFixture.Setup()
                .passThrough(ScriptedNode.nowhere())
                .elsewhere(breaking.address())
                .start();
        RawHttpConnection wire = rig.connect()) {
      assertThat(wire.send(RawHttpConnection.post("/a", "body")).read().status()).isEqualTo(502);
      wire.send(CHUNKED + "4\r\nbody\r\n0\r\n\r\n");
      assertThat(wire.read().status()).isEqualTo(502);
    }
    assertThat(broken).hasValue(2);
  }
}
