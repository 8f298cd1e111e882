package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;

/** Clients of fake nodes on real sockets; asserts at the end that nothing is held. */
abstract class TransportClientsFixture {
  static final TransportOptions.Timing QUICK =
      new TransportOptions.Timing(
          Duration.ofSeconds(5),
          Duration.ofSeconds(5),
          Duration.ofSeconds(20),
          Duration.ofMillis(2),
          Duration.ofMillis(20),
          Duration.ofSeconds(60));
  static final Executor ANYWHERE = Runnable::run;

  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  final EventLoops loops = EventLoops.start(2, EventLoops.IoTransport.AUTO, allocator);
  final EventLoops nodeLoops = EventLoops.start(1);
  final TransportMemory memory = TransportMemory.forThisJvm(1);
  final List<ScriptedTransportNode> nodes = new ArrayList<>();
  final List<TransportClients> opened = new ArrayList<>();

  @AfterEach
  void restsEmpty() {
    for (TransportClients clients : opened) {
      clients.close();
      awaitTrue("all channels gone", () -> clients.stats().nodes().isEmpty());
      assertThat(clients.stats().heldFrames()).isZero();
      assertThat(clients.stats().heldBytes()).isZero();
      awaitTrue("nothing unsent", () -> clients.stats().unsentBytes() == 0);
    }
    assertThat(memory.unsentBytes()).isZero();
    nodes.forEach(ScriptedTransportNode::close);
    loops.close();
    nodeLoops.close();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  static void awaitTrue(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("did not come true within 20 s: " + what);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  ScriptedTransportNode node(String name) {
    ScriptedTransportNode node = new ScriptedTransportNode(nodeLoops, name).start();
    nodes.add(node);
    return node;
  }

  TransportClients clients(TransportOptions options) {
    return clients(options, memory);
  }

  TransportClients clients(TransportOptions options, TransportMemory memory) {
    TransportClients clients =
        new TransportClients(
            loops, new NamedWriteableRegistry(List.of()), options, memory, new SplittableRandom(1));
    opened.add(clients);
    return clients;
  }

  TransportClients clients() {
    return clients(TransportOptions.defaults().withTiming(QUICK));
  }

  static NodeClient client(TransportClients clients, ScriptedTransportNode node) {
    return Objects.requireNonNull(clients.byId(node.id));
  }

  static NodeCall<String> echo(String text, ChannelKind kind) {
    return new NodeCall<>(
        "test/echo",
        out -> {
          out.writeString("");
          out.writeString(text);
        },
        StreamInput::readString,
        kind,
        Map.of(),
        Duration.ofSeconds(20));
  }

  static NodeCall<String> echo(String text) {
    return echo(text, ChannelKind.READ);
  }

  static NodeCall<String> held() {
    NodeCall<String> echo = echo("held");
    return new NodeCall<>(
        "test/held", echo.payload(), echo.reader(), echo.kind(), Map.of(), echo.timeout());
  }

  static void echoes(ScriptedTransportNode node) {
    node.on(
        "test/echo",
        request -> {
          try {
            String text = request.in().readString();
            request.answer(out -> out.writeString(node.name + " " + text));
          } catch (IOException e) {
            request.fail(e);
          }
        });
  }

  static <R> RecordingReplyHandler<R> send(NodeClient client, NodeCall<R> call, Executor home) {
    RecordingReplyHandler<R> told = new RecordingReplyHandler<>();
    client.send(call, home, told);
    return told;
  }

  static <R> RecordingReplyHandler<R> send(NodeClient client, NodeCall<R> call) {
    return send(client, call, ANYWHERE);
  }

  static SeedClient seed(TransportClients clients, InetSocketAddress address) throws Exception {
    return clients.connectSeed(address).toCompletableFuture().get(20, TimeUnit.SECONDS);
  }
}
