package dev.weir.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.outbound.UnsentBytesLimiter;
import dev.weir.protocol.stats.SlotCounters;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.opensearch.Version;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.transport.RemoteTransportException;
import org.opensearch.transport.nativeprotocol.NodeFrames;
import org.opensearch.transport.nativeprotocol.NodeFrames.Marks;

/**
 * A channel on an embedded Netty channel whose clock the test sets; asserts at the end that nothing
 * is held.
 */
abstract class NodeChannelFixture implements CallDispatcher {
  static final InetSocketAddress ADDRESS =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 9301);
  static final NodeEndpoint NODE =
      new NodeEndpoint("id1", "eph1", "dev-1", ADDRESS, null, Set.of("data"), Map.of(), "3.8.0");
  static final TransportOptions.Limits LIMITS =
      new TransportOptions.Limits(1 << 20, 1 << 16, 100, 10, 1 << 16);

  final MockTicker ticker = Ticker.newMockTicker();
  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);

  /** From this size on, in bytes, there is no memory for an array. */
  int outOfMemoryBytes = Integer.MAX_VALUE;

  final EmbeddedChannel channel = EmbeddedChannel.builder().ticker(ticker).build();
  final CountingFrameBudget held = new CountingFrameBudget(FrameBudget.UNLIMITED);
  final UnsentBytesLimiter unsent = new UnsentBytesLimiter(1 << 19);
  final LoopContext context =
      new LoopContext(
          channel.eventLoop(),
          NioSocketChannel.class,
          new LoopContext.SharedResources(
              new NamedWriteableRegistry(List.of()),
              TransportOptions.defaults().withLimits(LIMITS),
              held,
              unsent,
              new BoundedAllocator(),
              new FrameArrayPool(1 << 20)),
          new SplittableRandom(1));
  final SlotCounters counters = new SlotCounters();
  final List<String> events = new ArrayList<>();

  /** The ephemeral ids of nodes that read zstd. */
  final Set<String> zstdProcesses = new HashSet<>();

  final NodeChannel wire =
      new NodeChannel(
          context, Peer.of(NODE), counters, (which, why) -> events.add("closed " + why));

  /** Allocates as much at a time as there is memory for. */
  private final class BoundedAllocator extends AbstractByteBufAllocator {
    BoundedAllocator() {
      super(false);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      if (initialCapacity >= outOfMemoryBytes) {
        throw new OutOfMemoryError("no heap, on purpose");
      }
      return allocator.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      return allocator.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  NodeChannelFixture() {
    channel.config().setAllocator(allocator);
    channel.pipeline().addLast(wire);
    wire.setVersion(Version.CURRENT, false);
    wire.opened("eph1", zstdProcesses::contains);
  }

  @AfterEach
  void restsEmpty() {
    channel.finishAndReleaseAll();
    context.close();
    assertThat(counters.inFlight.get()).isZero();
    assertThat(context.timeouts.size()).isZero();
    assertThat(unsent.heldBytes()).isZero();
    assertThat(held.frames()).isZero();
    assertThat(held.bytes()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  @Override
  public EventLoop loop() {
    return channel.eventLoop();
  }

  @Override
  public void send(ActiveCall<?> call) {
    call.markStarted(ticker.nanoTime());
    if (!call.request().timeout().isZero()) {
      context.timeouts.add(call, call.request().timeout().toNanos());
    }
    wire.send(call);
  }

  @Override
  public void abandon(ActiveCall<?> call) {
    wire.abandon(call);
  }

  @Override
  public void onTimeout(ActiveCall<?> call) {
    wire.onTimeout(call);
  }

  static NodeCall<String> text(Writeable payload) {
    return text(payload, StreamInput::readString);
  }

  static NodeCall<String> text(Writeable payload, Writeable.Reader<String> reader) {
    return new NodeCall<>(
        "test/text", payload, reader, ChannelKind.READ, Map.of(), Duration.ofSeconds(30));
  }

  static NodeCall<String> text() {
    return text(out -> out.writeString("question"));
  }

  <R> ActiveCall<R> sent(NodeCall<R> call, ReplyHandler<R> handler) {
    return sent(call, channel.eventLoop(), handler);
  }

  <R> ActiveCall<R> sent(NodeCall<R> call, Executor home, ReplyHandler<R> handler) {
    ActiveCall<R> pending = new ActiveCall<>(call, home, handler, this);
    send(pending);
    channel.runPendingTasks();
    return pending;
  }

  byte[] outbound() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
      byte[] bytes = new byte[next.readableBytes()];
      next.readBytes(bytes);
      all.writeBytes(bytes);
      next.release();
    }
    return all.toByteArray();
  }

  void receive(byte[] frame) {
    channel.writeInbound(Unpooled.wrappedBuffer(frame));
    channel.runPendingTasks();
  }

  static byte[] answer(long id, String text) {
    return NodeFrames.response(id, out -> out.writeString(text));
  }

  static byte[] error(long id, Exception error) {
    RemoteTransportException remote =
        new RemoteTransportException("dev-1", new TransportAddress(ADDRESS), "test/text", error);
    return NodeFrames.response(id, remote, Map.of(), Marks.PLAIN);
  }
}
