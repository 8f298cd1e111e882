package dev.weir.testkit.fake;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.process.ProcessStates;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.transport.ActionNotFoundTransportException;
import org.opensearch.transport.TransportService;

class FakeNodeTest {
  private static final byte[] PAYLOAD = "payload".getBytes(UTF_8);
  private static final byte[] NOTHING = {};
  private static final int RESPONSE = 1;
  private static final int ERROR = 2;
  private static final int HANDSHAKE = 8;

  /** The bytes that follow when a fake node that always answers so is asked once. */
  private static byte[] bytesAfter(FakeReply answer, int count) throws IOException {
    try (FakeNode node = FakeNode.start(ReplyScript.always(answer));
        RawClient client = new RawClient(node.address())) {
      client.send(1, 0, "action", NOTHING);
      return client.readBytes(count);
    }
  }

  @Test
  void completesBothHandshakes() throws Exception {
    FakeIdentity identity = FakeIdentity.named("a").inCluster("other").ofVersion(Version.V_3_0_0);
    try (FakeNode node = FakeNode.start(new HandshakingNodeScript(identity));
        RawClient client = new RawClient(node.address())) {
      client.send(1, HANDSHAKE, FakeRequest.TCP_HANDSHAKE, NOTHING);
      RawClient.Response first = client.read();
      assertThat(first.status()).isEqualTo(RESPONSE | HANDSHAKE);
      assertThat(first.stream().readVersion()).isEqualTo(Version.V_3_0_0);

      client.send(2, 0, FakeRequest.NODE_HANDSHAKE, NOTHING);
      TransportService.HandshakeResponse second =
          new TransportService.HandshakeResponse(client.read().stream());
      DiscoveryNode discovered = second.getDiscoveryNode();
      assertThat(second.getClusterName().value()).isEqualTo("other");
      assertThat(discovered.getId()).isEqualTo("id-of-a");
      assertThat(discovered.getAddress().address()).isEqualTo(node.address());
    }
  }

  @Test
  void recordRequests() throws Exception {
    try (FakeNode node = FakeNode.start(ReplyScript.always(FakeReplies.silence()));
        RawClient client = new RawClient(node.address())) {
      client.send(7, 0, "one", PAYLOAD);
      client.send(8, 0, "two", NOTHING);

      assertThat(node.awaitRequest("one").payload().utf8ToString()).isEqualTo("payload");
      assertThat(node.awaitRequest("two").requestId()).isEqualTo(8);
      assertThat(node.awaitRequests("one", 1).getFirst().headers())
          .containsEntry("X-Opaque-Id", "me");
      assertThat(node.requests()).hasSize(2);
      assertThat(node.acceptedConnections()).isEqualTo(1);
      assertThat(node.protocolErrors()).isEmpty();
    }
  }

  @Test
  void answerActionsAsScripted() throws Exception {
    HandshakingNodeScript script =
        new HandshakingNodeScript(FakeIdentity.named("a"))
            .on("good", FakeReplies.reply(PAYLOAD))
            .on("bad", FakeReplies.error(new IllegalStateException("no")));
    try (FakeNode node = FakeNode.start(script);
        RawClient client = new RawClient(node.address())) {
      client.send(1, 0, "good", NOTHING);
      assertThat(client.read().payload().utf8ToString()).isEqualTo("payload");

      client.send(2, 0, "bad", NOTHING);
      RawClient.Response bad = client.read();
      assertThat(bad.status()).isEqualTo(RESPONSE | ERROR);
      assertThat(exception(bad)).isInstanceOf(IllegalStateException.class).hasMessage("no");

      client.send(3, 0, "other", NOTHING);
      assertThat(exception(client.read()))
          .isInstanceOf(ActionNotFoundTransportException.class)
          .hasMessage("No handler for action [other]");
    }
  }

  private static Exception exception(RawClient.Response response) throws IOException {
    try (StreamInput in = response.stream()) {
      return in.readException();
    }
  }

  @Test
  void waitsForALatch() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    try (FakeNode node =
            FakeNode.start(
                ReplyScript.always(FakeReplies.after(latch, FakeReplies.reply(PAYLOAD))));
        RawClient client = new RawClient(node.address())) {
      client.send(1, 0, "action", NOTHING);
      node.awaitRequest("action");
      latch.countDown();
      assertThat(client.read().payload().utf8ToString()).isEqualTo("payload");
    }
  }

  @Test
  void writesFramesInSingleBytes() throws Exception {
    try (FakeNode node = FakeNode.start(ReplyScript.always(FakeReplies.trickle(PAYLOAD)));
        RawClient client = new RawClient(node.address())) {
      client.send(5, 0, "action", NOTHING);
      RawClient.Response response = client.read();
      assertThat(response.requestId()).isEqualTo(5);
      assertThat(response.payload().utf8ToString()).isEqualTo("payload");
    }
  }

  @Test
  void writesAPingBeforeTheReply() throws Exception {
    assertThat(bytesAfter(FakeReplies.ping().then(FakeReplies.reply(PAYLOAD)), 8))
        .containsExactly('E', 'S', -1, -1, -1, -1, 'E', 'S');
  }

  @Test
  void writesTheWrongMagic() throws Exception {
    assertThat(bytesAfter(FakeReplies.wrongMagic(PAYLOAD), 2)).containsExactly('X', 'S');
  }

  @Test
  void claimsAnyLength() throws Exception {
    byte[] prefix = bytesAfter(FakeReplies.claimedLength(Integer.MAX_VALUE, PAYLOAD), 6);
    assertThat(ByteBuffer.wrap(prefix).getInt(2)).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void repliesToARequestThatWasNeverSent() throws Exception {
    byte[] prefix = bytesAfter(FakeReplies.wrongRequestId(PAYLOAD), 14);
    assertThat(ByteBuffer.wrap(prefix).getLong(6)).isEqualTo(1_000_001);
  }

  @Test
  void closesInTheMiddleOfAFrame() throws Exception {
    try (FakeNode node = FakeNode.start(ReplyScript.always(FakeReplies.closeMidFrame(PAYLOAD)));
        RawClient client = new RawClient(node.address())) {
      client.send(1, 0, "action", NOTHING);
      byte[] read = client.readToEnd();
      int whole = 6 + 17 + 2 + PAYLOAD.length;
      assertThat(read).hasSize(whole / 2);
      assertThat(ByteBuffer.wrap(read).getInt(2)).isEqualTo(whole - 6);
    }
  }

  @Test
  void sendsTheSameGarbageForTheSameSeed() throws Exception {
    assertThat(bytesAfter(FakeReplies.garbage(3), 100))
        .isEqualTo(bytesAfter(FakeReplies.garbage(3), 100))
        .isNotEqualTo(bytesAfter(FakeReplies.garbage(4), 100));
  }

  @Test
  void resetConnectionsAndKeepListening() throws Exception {
    try (FakeNode node = FakeNode.start(ReplyScript.always(FakeReplies.reply(PAYLOAD)));
        RawClient client = new RawClient(node.address())) {
      client.send(1, 0, "action", NOTHING);
      client.read();

      node.dropConnections();

      assertThatThrownBy(client::readToEnd).isInstanceOf(IOException.class);
      try (RawClient next = new RawClient(node.address())) {
        next.send(2, 0, "action", NOTHING);
        assertThat(next.read().requestId()).isEqualTo(2);
      }
    }
  }

  @Test
  void reportMalformedRequests() throws Exception {
    try (FakeNode node = FakeNode.start(ReplyScript.always(FakeReplies.silence()));
        Socket socket = new Socket()) {
      socket.connect(node.address());
      socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8));
      ProcessStates.await("the problem is noticed", () -> !node.protocolErrors().isEmpty());
      assertThat(node.protocolErrors().getFirst())
          .hasMessage("got a frame that begins with byte 71 (expected: ES)");
    }
  }
}
