package dev.weir.protocol;

import dev.weir.model.NodeEndpoint;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodeRole;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.transport.Header;
import org.opensearch.transport.InboundDecoder;
import org.opensearch.transport.RemoteTransportException;
import org.opensearch.transport.TransportService;
import org.opensearch.transport.nativeprotocol.NodeFrames;
import org.opensearch.transport.nativeprotocol.NodeFrames.Marks;

/** A node on a real socket that uses OpenSearch's own encoder and follows the test's script. */
final class ScriptedTransportNode implements AutoCloseable {
  /** A received request. */
  record Request(ScriptedTransportNode node, Channel channel, Header header, BytesArray payload) {
    String action() {
      return header.getActionName();
    }

    StreamInput in() throws IOException {
      StreamInput in = payload.streamInput();
      in.readString(); // the parent task
      return in;
    }

    void answer(Writeable answer) {
      answer(answer, Map.of());
    }

    void answer(Writeable answer, Map<String, List<String>> headers) {
      Marks marks = new Marks(header.getVersion(), header.isHandshake(), header.isCompressed());
      send(NodeFrames.response(header.getRequestId(), answer, headers, marks));
    }

    void fail(Exception error) {
      answer(
          new RemoteTransportException(
              node.name, new TransportAddress(node.address()), action(), error));
    }

    void send(byte[] bytes) {
      channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
    }
  }

  private final EventLoops loops;
  private final Map<String, Consumer<Request>> scripts = new ConcurrentHashMap<>();
  private final BlockingQueue<Request> unanswered = new LinkedBlockingQueue<>();
  private final Set<Channel> connections = new CopyOnWriteArraySet<>();
  final String name;
  volatile String id;
  volatile String ephemeralId = "start-1";
  volatile String clusterName = "fake";
  volatile Version version = Version.CURRENT;
  volatile boolean answersPings = true;
  final AtomicInteger pings = new AtomicInteger();
  final AtomicInteger handshakes = new AtomicInteger();
  private volatile @Nullable SslContext tls;
  private @Nullable Channel listening;
  private int port;

  ScriptedTransportNode(EventLoops loops, String name) {
    this.loops = loops;
    this.name = name;
    this.id = "id-" + name;
    on("internal:tcp/handshake", request -> request.answer(out -> out.writeVersion(version)));
    on(
        TransportService.HANDSHAKE_ACTION_NAME,
        request -> {
          handshakes.incrementAndGet();
          request.answer(
              new TransportService.HandshakeResponse(
                  discoveryNode(), new ClusterName(clusterName), version));
        });
  }

  private DiscoveryNode discoveryNode() {
    return new DiscoveryNode(
        name,
        id,
        ephemeralId,
        "localhost",
        "127.0.0.1",
        new TransportAddress(address()),
        Map.of("zone", "a"),
        Set.of(DiscoveryNodeRole.DATA_ROLE),
        version);
  }

  void tls(SslContext context) {
    tls = context;
  }

  /** Handles every request of an action with this script; others wait in {@link #take}. */
  void on(String action, Consumer<Request> script) {
    scripts.put(action, script);
  }

  /** Returns the next request without a script. */
  Request take() {
    try {
      return Objects.requireNonNull(unanswered.poll(20, TimeUnit.SECONDS), "no request in 20 s");
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  ScriptedTransportNode start() {
    Channel channel =
        new ServerBootstrap()
            .group(loops.group())
            .channel(loops.serverSocketChannel())
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel child) {
                    connections.add(child);
                    child.closeFuture().addListener(future -> connections.remove(child));
                    SslContext context = tls;
                    if (context != null) {
                      child.pipeline().addLast(context.newHandler(child.alloc()));
                    }
                    child.pipeline().addLast(new Frames());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), port)
            .syncUninterruptibly()
            .channel();
    listening = channel;
    port = ((InetSocketAddress) channel.localAddress()).getPort();
    return this;
  }

  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  NodeEndpoint endpoint() {
    return new NodeEndpoint(
        id,
        ephemeralId,
        name,
        address(),
        null,
        Set.of("data"),
        Map.of("zone", "a"),
        version.toString());
  }

  int connections() {
    return connections.size();
  }

  /** Closes all connections and keeps listening. */
  void cut() {
    connections.forEach(channel -> channel.close().syncUninterruptibly());
  }

  /** Stops reading from the connected client. */
  void stopReading() {
    connections.forEach(channel -> channel.config().setAutoRead(false));
  }

  /** Stops listening and closes all connections; may be started again on the same port. */
  @Override
  public void close() {
    if (listening != null) {
      listening.close().syncUninterruptibly();
    }
    cut();
  }

  private final class Frames extends ByteToMessageDecoder {
    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
      if (in.readableBytes() < FrameLayout.PREFIX_BYTES) {
        return;
      }
      int length = in.getInt(in.readerIndex() + FrameLayout.LENGTH_OFFSET);
      if (length == FrameLayout.PING) {
        in.skipBytes(FrameLayout.PREFIX_BYTES);
        pings.incrementAndGet();
        if (answersPings) {
          ctx.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {'E', 'S', -1, -1, -1, -1}));
        }
      } else if (in.readableBytes() >= FrameLayout.PREFIX_BYTES + length) {
        byte[] frame = ByteBufUtil.getBytes(in.readSlice(FrameLayout.PREFIX_BYTES + length));
        try {
          Header header = InboundDecoder.readHeader(Version.CURRENT, length, new BytesArray(frame));
          int payloadAt =
              FrameLayout.HEADER_BYTES
                  + new BytesArray(frame).getInt(FrameLayout.VARIABLE_LENGTH_OFFSET);
          BytesArray payload = new BytesArray(frame, payloadAt, frame.length - payloadAt);
          Request request = new Request(ScriptedTransportNode.this, ctx.channel(), header, payload);
          Consumer<Request> script = scripts.get(header.getActionName());
          if (script != null) {
            script.accept(request);
          } else {
            unanswered.add(request);
          }
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }
}
