package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sends damaged requests, in pieces and truncated. For any input the server responds or closes the
 * connection, serves the next client, and holds nothing at the end (which closing the {@link
 * HttpServerFixture} checks).
 */
class HttpServerFuzz {

  private static final String[] SEEDS = {
    "GET /a?b=c HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n",
    "POST /_bulk HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nhello world",
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
    "POST / HTTP/1.1\r\n"
        + "Host: x\r\n"
        + "Content-Encoding: gzip\r\n"
        + "Content-Length: 5\r\n\r\n"
        + "\u001f\u008b\b\0\0",
    "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        + "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\0\6\1\5\0\0\0\1\u0082\u0086\u0084A\1x",
  };

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void survivesAnything(long seed) throws Exception {
    Random random = new Random(seed);
    try (ScriptedNode node = ScriptedNode.answering(200, "ok")) {
      HttpServerFixture.Setup setup = HttpServerFixture.echoing();
      if (seed % 2 == 0) {
        setup.passThrough(node.address());
      }
      try (HttpServerFixture rig = setup.start()) {
        for (int round = 0; round < 200; round++) {
          assault(rig, random);
        }
        try (RawHttpConnection wire = rig.connect()) {
          wire.send(RawHttpConnection.get("/after"));
          assertThat(wire.read().status()).isEqualTo(200);
        }
      }
    }
  }

  private static void assault(HttpServerFixture rig, Random random) throws IOException {
    try (RawHttpConnection wire = rig.connect()) {
      byte[] bytes = damaged(random);
      int from = 0;
      while (from < bytes.length) {
        int to =
            random.nextBoolean() ? bytes.length : from + 1 + random.nextInt(bytes.length - from);
        wire.sendUntilRefused(java.util.Arrays.copyOfRange(bytes, from, to), 1);
        from = to;
      }
      if (random.nextBoolean()) {
        wire.reset();
      }
    }
  }

  private static byte[] damaged(Random random) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = random.nextInt(3); i >= 0; i--) {
      all.writeBytes(SEEDS[random.nextInt(SEEDS.length)].getBytes(StandardCharsets.ISO_8859_1));
    }
    byte[] bytes = all.toByteArray();
    for (int i = random.nextInt(6); i > 0; i--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(3)) {
        case 0 -> bytes[at] = (byte) random.nextInt();
        case 1 -> bytes[at] = (byte) "\r\n :0,;".charAt(random.nextInt(7));
        default -> System.arraycopy(bytes, at, bytes, at / 2, (bytes.length - at) / 2);
      }
    }
    return random.nextInt(4) == 0
        ? java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length))
        : bytes;
  }
}
