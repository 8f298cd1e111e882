package dev.weir.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.HttpServerFixture;
import dev.weir.http.ScriptedNode;
import dev.weir.http.options.HttpLimits;
import dev.weir.model.LargeBodyCheck;
import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory.Category;
import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies too long to be buffered, where the router checks them before they pass through. */
class LargeBodyCheckTest {
  private static final int BUDGET = 4 << 20;
  private static final int LENGTH = 3 << 20;

  /** Of a body that was announced as too long. */
  private static final int BEGINNING = 1 << 20;

  private static final int CHUNK_BYTES = 64 << 10;
  private static final int MAX_CONTENT_BYTES = HttpLimits.standard().maxContentBytes();

  private record Checked(@Nullable String contentType, String beginning, long bytes) {}

  private final BlockingQueue<Checked> checked = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> atNode = new LinkedBlockingQueue<>();
  private @Nullable MemoryRejection refusal;

  private final RequestRouter router =
      new RequestRouter() {
        @Override
        public Decision route(String method, String uri) {
          return new Coordinate("test");
        }

        @Override
        public LargeBodyCheck largeBodyCheck(String method, String uri) {
          return LargeBodyCheckTest.this::check;
        }
      };

  private @Nullable MemoryRejection check(
      @Nullable String contentType, ByteBuffer beginning, long bytes) {
    String text = StandardCharsets.US_ASCII.decode(beginning.duplicate()).toString();
    checked.add(new Checked(contentType, text, bytes));
    return refusal;
  }

  private HttpServerFixture before(ScriptedNode node) throws IOException {
    HttpServerFixture.Setup setup = HttpServerFixture.echoing();
    setup.nodes = List.of(node.address());
    setup.budget = BUDGET;
    setup.router = router;
    return setup.start();
  }

  private ScriptedNode countingNode() throws IOException {
    return new ScriptedNode(conversation -> {
      while (true) {
        atNode.add(conversation.read().body().length);
        conversation.answer(200, "from the node");
      }
    });
  }

  private static byte[] text(int size) {
    byte[] bytes = new byte[size];
    Arrays.fill(bytes, (byte) 'a');
    return bytes;
  }

  private static void send(RawHttpConnection wire, byte[] body, boolean announced, String headers)
      throws IOException {
    String head = "POST /_mget HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + headers;
    if (announced) {
      wire.send(head + "Content-Length: " + body.length + "\r\n\r\n").send(body);
    } else {
      wire.send(head + "Transfer-Encoding: chunked\r\n\r\n");
      wire.send(Integer.toHexString(body.length) + "\r\n").send(body).send("\r\n0\r\n\r\n");
    }
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void refuseBeforeANodeGetsAByte(boolean announced) throws Exception {
    refusal =
        new MemoryRejection(
            Category.PARSED_BODY, 77, 77, 66, "a bound", true, List.of(), List.of());
    try (ScriptedNode node = countingNode();
        HttpServerFixture rig = before(node);
        RawHttpConnection wire = rig.connect()) {
      for (int round = 0; round < 2; round++) {
        send(wire, text(LENGTH), announced, "");
        RawHttpConnection.Response reply = wire.read();
        assertThat(reply.status()).isEqualTo(429);
        assertThat(reply.text())
            .contains("circuit_breaking_exception", "77", "66", "a bound", "does not help");
        assertThat(rig.log().status()).isEqualTo(429);
        assertThat(checked.remove().contentType()).isEqualTo("application/json");
      }
      assertThat(rig.budget.used()).isZero();
    }
    assertThat(atNode).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void letPassWhatTheCheckAllows(boolean announced) throws Exception {
    try (ScriptedNode node = countingNode();
        HttpServerFixture rig = before(node);
        RawHttpConnection wire = rig.connect()) {
      send(wire, text(LENGTH), announced, "");
      assertThat(wire.read().text()).isEqualTo("from the node");
      assertThat(atNode.remove()).isEqualTo(LENGTH);
      Checked found = checked.remove();
      assertThat(found.beginning().length()).isBetween(BEGINNING - CHUNK_BYTES, BEGINNING);
      assertThat(found.bytes()).isEqualTo(announced ? LENGTH : MAX_CONTENT_BYTES);
    }
  }

  @Test
  void expectTheLongestOfACompressedBody() throws Exception {
    byte[] body = text(LENGTH);
    try (ScriptedNode node = countingNode();
        HttpServerFixture rig = before(node);
        RawHttpConnection wire = rig.connect()) {
      send(wire, BufferedBodyTest.gzip(body), true, "Content-Encoding: gzip\r\n");
      assertThat(wire.read().text()).isEqualTo("from the node");
      Checked found = checked.remove();
      assertThat(found.beginning().startsWith("aaaa")).isTrue();
      assertThat(found.bytes()).isEqualTo(MAX_CONTENT_BYTES);
    }
  }

  @Test
  void leaveShorterBodiesAlone() throws Exception {
    try (ScriptedNode node = countingNode();
        HttpServerFixture rig = before(node);
        RawHttpConnection wire = rig.connect()) {
      send(wire, text(BUDGET / 2), true, "");
      assertThat(wire.read().text()).startsWith("POST /_mget aaa");
    }
    assertThat(checked).isEmpty();
  }
}
