package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.protocol.NodeCallException.Kind;
import dev.weir.protocol.TransportOptions.Limits;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory that clients of several clusters share. */
class TransportMemoryTest extends TransportClientsFixture {
  private static final int MEGABYTE = 1 << 20;

  /** More than the socket buffers of a peer that reads nothing. */
  private static final String LARGE = "x".repeat(16 * MEGABYTE);

  private TransportClients to(ScriptedTransportNode node, TransportMemory shared) {
    Limits limits = new Limits(64 * MEGABYTE, 64 * MEGABYTE, 100, 10, 64 * MEGABYTE);
    TransportClients clients =
        clients(TransportOptions.defaults().withTiming(QUICK).withLimits(limits), shared);
    clients.update(List.of(node.endpoint()));
    awaitTrue("open", () -> clients.stats().nodes().getFirst().openChannels() == 2);
    return clients;
  }

  private static NodeCallException refused(TransportClients clients, ScriptedTransportNode node) {
    NodeCallException failure = send(client(clients, node), echo(LARGE)).failure();
    assertThat(failure.kind()).isEqualTo(Kind.NOT_SENT);
    assertThat(failure.status()).isEqualTo(429);
    return failure;
  }

  private ScriptedTransportNode listening(String name) {
    ScriptedTransportNode node = node(name);
    node.on("test/echo", request -> request.answer(out -> out.writeString(name)));
    return node;
  }

  @Test
  void boundUnsentBytesOfAllClientsAndReleaseThemOnClose() {
    TransportMemory shared = new TransportMemory(24 * MEGABYTE, 24 * MEGABYTE, MEGABYTE);
    ScriptedTransportNode deaf = listening("deaf");
    ScriptedTransportNode other = listening("other");
    TransportClients one = to(deaf, shared);
    TransportClients two = to(other, shared);
    deaf.stopReading();
    RecordingReplyHandler<String> stuck = send(client(one, deaf), echo(LARGE));
    awaitTrue("unsent", () -> one.stats().unsentBytes() > LARGE.length());

    assertThat(refused(two, other))
        .hasMessageContaining("too many bytes unsent to all nodes: got 167")
        .hasMessageContaining("(expected: at most " + 24 * MEGABYTE + ")");
    assertThat(send(client(two, other), echo("small")).reply()).isEqualTo("other");
    awaitTrue("sent", () -> two.stats().unsentBytes() == 0);
    assertThat(shared.unsentBytes()).isEqualTo(one.stats().unsentBytes());

    one.close();

    assertThat(stuck.failure().kind()).isEqualTo(Kind.CONNECTION_LOST);
    awaitTrue("given back", () -> shared.unsentBytes() == 0);
    assertThat(send(client(two, other), echo(LARGE)).reply()).isEqualTo("other");
    awaitTrue("given back", () -> shared.unsentBytes() == 0);
  }

  @Test
  void leaveMemoryForOthersBesideAStuckNode() {
    TransportMemory shared = new TransportMemory(40 * MEGABYTE, 20 * MEGABYTE, MEGABYTE);
    ScriptedTransportNode deaf = listening("deaf");
    ScriptedTransportNode other = listening("other");
    TransportClients one = to(deaf, shared);
    TransportClients two = to(other, shared);
    deaf.stopReading();
    RecordingReplyHandler<String> stuck = send(client(one, deaf), echo(LARGE));
    awaitTrue("unsent", () -> one.stats().unsentBytes() > LARGE.length());

    assertThat(refused(one, deaf))
        .hasMessageContaining("too many bytes unsent to the cluster's nodes: got 167")
        .hasMessageContaining("(expected: at most " + 20 * MEGABYTE + ")");
    assertThat(send(client(two, other), echo(LARGE)).reply()).isEqualTo("other");

    deaf.cut();

    assertThat(stuck.failure().kind()).isEqualTo(Kind.CONNECTION_LOST);
    awaitTrue("given back", () -> shared.unsentBytes() == 0);
  }

  @Test
  void keepsTheSameArraysForFramesOfAllClients() {
    TransportMemory shared = new TransportMemory(MEGABYTE, MEGABYTE, MEGABYTE);
    ScriptedTransportNode a = node("a");
    ScriptedTransportNode b = node("b");
    TransportClients one = to(a, shared);
    TransportClients two = to(b, shared);
    for (ScriptedTransportNode node : nodes) {
      node.on("test/echo", request -> request.answer(out -> out.writeString("y".repeat(100_000))));
    }

    assertThat(send(client(one, a), echo("x")).reply()).hasSize(100_000);
    awaitTrue("kept", () -> shared.pooledBytes() > 0);
    long kept = shared.pooledBytes();
    one.close();
    RecordingReplyHandler<String> held = new RecordingReplyHandler<>(true, null);
    client(two, b).send(echo("x"), ANYWHERE, held);

    assertThat(held.reply()).hasSize(100_000);
    assertThat(shared.pooledBytes()).isZero();
    held.frame().release();
    awaitTrue("kept again", () -> shared.pooledBytes() == kept);
  }

  @Test
  void fitTheLargestFrameInAnyHeap() {
    for (long heap = 32 << 20; heap <= 64L << 30; heap *= 2) {
      int frame = Limits.forHeap(heap).maxFrameBytes();
      TransportMemory alone = TransportMemory.forHeap(heap, 1);
      TransportMemory several = TransportMemory.forHeap(heap, 8);
      assertThat(several.maxUnsentBytes()).isEqualTo(alone.maxUnsentBytes());
      assertThat(alone.limiterForCluster().maxBytes()).isEqualTo(alone.maxUnsentBytes());
      assertThat(several.limiterForCluster().maxBytes())
          .as("of %d", heap)
          .isGreaterThanOrEqualTo(frame);
      if (heap > 64 << 20) {
        assertThat(several.limiterForCluster().maxBytes()).isLessThan(several.maxUnsentBytes());
      }
    }
  }
}
