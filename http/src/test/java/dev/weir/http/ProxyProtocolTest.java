package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.identity.IdentityHeaderRules;
import dev.weir.http.options.HttpSecurity;
import dev.weir.model.IpNetworks;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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

  private static HttpServerFixture start(ScriptedNode node) throws Exception {
    return new HttpServerFixture.Setup()
        .passThrough(node.address())
        .security(
            new HttpSecurity(
                null,
                new IdentityHeaderRules(
                    IpNetworks.of(List.of("127.0.0.1", "10.0.0.0/8")), List.of(), null),
                true))
        .start();
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
    for (byte[] begin : List.of(request(), long_, unknown, shortAddress)) {
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
