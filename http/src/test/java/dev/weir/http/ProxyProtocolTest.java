package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.connection.ConnectionCounts;
import dev.weir.http.identity.IdentityHeaderRules;
import dev.weir.http.options.ClientLimits;
import dev.weir.http.options.HttpLimits;
import dev.weir.http.options.HttpSecurity;
import dev.weir.model.IpNetworks;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Connections that begin with the header of the PROXY protocol, version 2. */
class ProxyProtocolTest {
  private static final byte[] SIGNATURE = {
    0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a
  };
  private static final int LOCAL = 0x20;
  private static final int PROXY = 0x21;

  private final BlockingQueue<ScriptedNode.Request> received = new LinkedBlockingQueue<>();

  private ScriptedNode node() throws Exception {
    return new ScriptedNode(conversation -> {
      while (true) {
        received.add(conversation.read());
        conversation.answer(200, "from the node");
      }
    });
  }

  /** A node that answers nothing, so that connections stay busy. */
  private ScriptedNode silentNode() throws Exception {
    return new ScriptedNode(conversation -> {
      while (true) {
        received.add(conversation.read());
      }
    });
  }

  private static HttpServerFixture start(ScriptedNode node) throws Exception {
    return setup(node).start();
  }

  private static HttpServerFixture.Setup setup(ScriptedNode node) {
    return new HttpServerFixture.Setup()
        .passThrough(node.address())
        .security(
            new HttpSecurity(
                null,
                new IdentityHeaderRules(
                    IpNetworks.of(List.of("127.0.0.1", "10.0.0.0/8")), List.of(), null),
                true));
  }

  private static byte[] header(int command, String source, byte[] more) throws Exception {
    byte[] from = InetAddress.getByName(source).getAddress();
    int length = 2 * from.length + 4 + more.length;
    ByteBuffer header = ByteBuffer.allocate(SIGNATURE.length + 4 + length);
    header.put(SIGNATURE).put((byte) command).put((byte) (from.length == 4 ? 0x11 : 0x21));
    header.putShort((short) length).put(from).put(from);
    header.putShort((short) 40_000).putShort((short) 9200).put(more);
    return header.array();
  }

  private static byte[] request() {
    return RawHttpConnection.post("/i/_doc", "{}", "x-proxy-user: admin")
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private ScriptedNode.Request next() throws InterruptedException {
    ScriptedNode.Request request =
        received.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(request).as("a request at the node").isNotNull();
    return request;
  }

  @Test
  void takeTheClientsAddressFromTheHeader() throws Exception {
    try (ScriptedNode node = node();
        HttpServerFixture rig = start(node)) {
      for (String source : List.of("198.51.100.7", "2001:db8::7")) {
        try (RawHttpConnection wire = rig.connect()) {
          wire.send(join(header(PROXY, source, new byte[300]), request()));
          assertThat(wire.read().text()).isEqualTo("from the node");
          assertThat(next().headers())
              .containsEntry("X-Forwarded-For", source)
              .doesNotContainKey("x-proxy-user");
          assertThat(rig.log().remoteAddress()).contains(source).contains("40000");
        }
      }
    }
  }

  /** Eight connections, of which a client may have two; the proxy has more. */
  @Test
  void shareConnectionsByTheClientsAddress() throws Exception {
    List<RawHttpConnection> open = new ArrayList<>();
    try (ScriptedNode silent = silentNode();
        HttpServerFixture rig =
            setup(silent)
                .limits(new HttpLimits(4096, 16384, 1 << 20, 128, 8))
                .clients(ClientLimits.standard().withMaxAddressRatio(0.25))
                .start()) {
      for (String source : List.of("198.51.100.7", "198.51.100.7", "198.51.100.8", "2001:db8::7")) {
        open.add(rig.connect());
        open.getLast().send(join(header(PROXY, source, new byte[0]), request()));
        assertThat(next().headers()).containsEntry("X-Forwarded-For", source);
      }
      try (RawHttpConnection third = rig.connect()) {
        third.send(join(header(PROXY, "198.51.100.7", new byte[0]), request()));
        third.expectClosed();
      }
      open.removeFirst().close();
      ScriptedNode.Request next = null;
      while (next == null) { // until the server has seen the end of the first one
        open.add(rig.connect());
        open.getLast().send(join(header(PROXY, "198.51.100.7", new byte[0]), request()));
        next = received.poll(200, TimeUnit.MILLISECONDS);
      }
    } finally {
      for (RawHttpConnection wire : open) {
        wire.close();
      }
    }
  }

  /** Until its header comes, nobody knows who is at the end of a connection. */
  @Test
  void judgeAClientByAHeaderThatComesLate() throws Exception {
    AtomicLong aheadNanos = new AtomicLong();
    List<RawHttpConnection> open = new ArrayList<>();
    try (ScriptedNode silent = silentNode()) {
      HttpServerFixture.Setup setup =
          setup(silent)
              .limits(new HttpLimits(4096, 16384, 1 << 20, 128, 8))
              .clients(ClientLimits.standard().withMaxAddressRatio(0.25));
      setup.nanoClock = () -> System.nanoTime() + aheadNanos.get();
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection late = rig.connect();
          RawHttpConnection lateOnTheOtherLoop = rig.connect()) {
        for (int i = 0; i < 2; i++) {
          open.add(rig.connect());
          open.getLast().send(join(header(PROXY, "198.51.100.7", new byte[0]), request()));
          assertThat(next().headers()).containsEntry("X-Forwarded-For", "198.51.100.7");
        }
        aheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        try (RawHttpConnection third = rig.connect()) { // looks for an idle one of its client
          third.send(join(header(PROXY, "198.51.100.7", new byte[0]), request()));
          third.expectClosed();
        }
        for (RawHttpConnection wire : List.of(late, lateOnTheOtherLoop)) {
          wire.send(join(header(PROXY, "198.51.100.9", new byte[0]), request()));
          assertThat(next().headers())
              .containsEntry("X-Forwarded-For", "198.51.100.9")
              .doesNotContainKey("x-proxy-user");
        }
      }
    } finally {
      for (RawHttpConnection wire : open) {
        wire.close();
      }
    }
  }

  /** Connections of many clients that a proxy keeps open give way to a new one. */
  @Test
  void closeAnIdleConnectionOfTheProxyForANewOne() throws Exception {
    AtomicLong aheadNanos = new AtomicLong();
    List<RawHttpConnection> open = new ArrayList<>();
    try (ScriptedNode node = node()) {
      HttpServerFixture.Setup setup =
          setup(node)
              .limits(new HttpLimits(4096, 16384, 1 << 20, 128, 4))
              .clients(ClientLimits.standard().withMaxAddressRatio(0.75));
      setup.nanoClock = () -> System.nanoTime() + aheadNanos.get();
      try (HttpServerFixture rig = setup.start()) {
        for (int i = 1; i <= 6; i++) {
          aheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
          open.add(rig.connect());
          open.getLast().send(join(header(PROXY, "198.51.100." + i, new byte[0]), request()));
          assertThat(open.getLast().read().text()).isEqualTo("from the node");
        }
        assertThat(rig.server.counts().count(ConnectionCounts.Reason.IDLE)).isEqualTo(2);
      }
    } finally {
      for (RawHttpConnection wire : open) {
        wire.close();
      }
    }
  }

  @Test
  void judgeHeadersByTheClientsAddress() throws Exception {
    try (ScriptedNode node = node();
        HttpServerFixture rig = start(node);
        RawHttpConnection wire = rig.connect()) {
      wire.send(join(header(PROXY, "10.1.2.3", new byte[0]), request()));
      assertThat(wire.read().text()).isEqualTo("from the node");
      assertThat(next().headers())
          .containsEntry("X-Forwarded-For", "10.1.2.3")
          .containsEntry("x-proxy-user", "admin");
    }
  }

  @Test
  void readTheHeaderByteByByte() throws Exception {
    try (ScriptedNode node = node();
        HttpServerFixture rig = start(node);
        RawHttpConnection wire = rig.connect()) {
      for (byte one : header(PROXY, "198.51.100.7", new byte[5])) {
        wire.send(new byte[] {one});
      }
      wire.send(request());
      assertThat(wire.read().text()).isEqualTo("from the node");
      assertThat(next().headers()).containsEntry("X-Forwarded-For", "198.51.100.7");
    }
  }

  @Test
  void keepTheAddressOfAProxyThatSpeaksForItself() throws Exception {
    try (ScriptedNode node = node();
        HttpServerFixture rig = start(node);
        RawHttpConnection wire = rig.connect()) {
      wire.send(join(header(LOCAL, "198.51.100.7", new byte[0]), request()));
      assertThat(wire.read().text()).isEqualTo("from the node");
      assertThat(next().headers()).containsEntry("X-Forwarded-For", "127.0.0.1");
    }
  }

  @Test
  void closeATrustedConnectionWithoutAHeader() throws Exception {
    byte[] long_ = header(PROXY, "198.51.100.7", new byte[5000]);
    byte[] unknown = header(0x2f, "198.51.100.7", new byte[0]);
    byte[] shortAddress = header(PROXY, "198.51.100.7", new byte[0]);
    shortAddress[13] = 0x21;
    byte[] nameless = header(PROXY, "198.51.100.7", new byte[0]);
    nameless[13] = 0;
    byte[] unixSocket = header(PROXY, "198.51.100.7", new byte[220]);
    unixSocket[13] = 0x31;
    for (byte[] begin : List.of(request(), long_, unknown, shortAddress, nameless, unixSocket)) {
      try (ScriptedNode node = node();
          HttpServerFixture rig = start(node);
          RawHttpConnection wire = rig.connect()) {
        wire.send(begin);
        wire.expectClosed();
        assertThat(received).isEmpty();
      }
    }
  }

  @Test
  void readNoHeaderOfOtherClients() throws Exception {
    try (ScriptedNode node = node();
        HttpServerFixture rig = start(node)) {
      try (RawHttpConnection wire = rig.connectFrom("127.0.0.2")) {
        wire.send(request());
        assertThat(wire.read().text()).isEqualTo("from the node");
        assertThat(next().headers()).containsEntry("X-Forwarded-For", "127.0.0.2");
      }
      try (RawHttpConnection wire = rig.connectFrom("127.0.0.2")) {
        wire.send(join(header(PROXY, "10.1.2.3", new byte[0]), request()));
        assertThat(wire.read().status()).isEqualTo(400);
        assertThat(received).isEmpty();
      }
    }
  }
}
