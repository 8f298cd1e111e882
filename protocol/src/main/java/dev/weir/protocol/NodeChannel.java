package dev.weir.protocol;

import dev.weir.protocol.outbound.UnsentBytesLimiter;
import dev.weir.protocol.stats.SlotCounters;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.collection.LongObjectHashMap;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection to a node. It encodes requests, tracks calls in flight, and completes them
 * with their responses. Confined to its event loop.
 *
 * <pre>
 *   [tls] -> wire: FrameDecoder -> in-flight table -> ReplyReader -> Call
 *   [tls] <- wire: FrameWriter <- FrameStreamOutput <- send
 * </pre>
 */
final class NodeChannel extends ChannelInboundHandlerAdapter
    implements FrameDecoder.FrameListener, InFlightCalls {
  private static final Logger LOG = LoggerFactory.getLogger(NodeChannel.class);
  private static final ByteBuf PING =
      Unpooled.unreleasableBuffer(
          Unpooled.directBuffer(FrameLayout.PREFIX_BYTES)
              .writeShort(FrameLayout.MARKER)
              .writeInt(FrameLayout.PING)
              .asReadOnly());
  private static final int MAX_MISSED_PINGS = 3;

  /** Begins the names of actions between nodes. */
  private static final String INTERNAL_ACTIONS = "internal:";

  private static final byte[] NONE = {};

  /** What is read of a response over the memory limit: its headers, up to a bound, and more. */
  private static final int MAX_REJECTED_HEADER_BYTES = 64 << 10;

  private static final int MAX_REJECTED_PAYLOAD_BYTES = 2048;

  /** Receives the end of the connection. */
  interface Listener {
    /** Handles a closed connection; the calls in flight fail right after this. */
    void onClosed(NodeChannel wire, @Nullable Throwable cause);
  }

  private final LoopContext context;
  private final Peer peer;
  private final SlotCounters counters;
  private final Listener listener;
  private final FrameDecoder decoder;
  private final ReplyReader replies;

  /** The header that asks the node for its load. */
  private final byte[] loadRequest;

  private final LongObjectHashMap<ActiveCall<?>> inFlight = new LongObjectHashMap<>();
  private final FrameWriter writer;
  private @Nullable Channel channel;
  private String ephemeralId = "";
  private Predicate<String> zstdProcesses = id -> false;
  private Version version = Version.CURRENT.minimumCompatibilityVersion();
  private int requestStatus;
  private long nextId = 1;
  private boolean opened;
  private boolean draining;
  private boolean isClosing;
  private boolean closed;
  private boolean hasReceived;
  private int missedPings;
  private @Nullable Throwable cause;

  NodeChannel(LoopContext context, Peer peer, SlotCounters counters, Listener listener) {
    this.context = context;
    this.peer = peer;
    this.counters = counters;
    this.listener = listener;
    this.decoder = new FrameDecoder(context.options().limits().maxFrameBytes(), this);
    this.replies = new ReplyReader(context);
    this.writer = new FrameWriter(context, this::close);
    this.loadRequest = HeaderEncoder.encode(NodeLoadReport.HEADER, peer.endpoint().id());
  }

  Peer peer() {
    return peer;
  }

  /** Returns the remote address; null when not connected. */
  @Nullable SocketAddress remoteAddress() {
    Channel open = channel;
    return open == null ? null : open.remoteAddress();
  }

  /** Sets the negotiated version of all further messages. */
  void setVersion(Version negotiated, boolean compress) {
    version = negotiated;
    requestStatus = compress ? FrameLayout.COMPRESSED : 0;
  }

  /** Returns the node's ephemeral id, which changes at each start; empty while unknown. */
  String ephemeralId() {
    return ephemeralId;
  }

  /**
   * Completes both handshakes: from here on, calls count, and the channel sends keep-alive pings.
   *
   * @param readsZstd whether the node that has an ephemeral id reads zstd, as is known so far
   */
  void opened(String nodeEphemeralId, Predicate<String> readsZstd) {
    ephemeralId = nodeEphemeralId;
    zstdProcesses = readsZstd;
    opened = true;
    keepAlive();
  }

  private void keepAlive() {
    long nanos = context.options().timing().pingInterval().toNanos();
    context.loop.schedule(this::ping, nanos, TimeUnit.NANOSECONDS);
  }

  /** Sends a call, or fails it later if the channel's limits are reached. */
  void send(ActiveCall<?> call) {
    TransportOptions.Limits limits = context.options().limits();
    Channel open = channel;
    if (isClosing || closed || draining || open == null || !open.isOpen()) {
      // the close event comes later; TLS first says goodbye, which a silent peer may not read
      reject(call, peer.notConnected());
    } else if (inFlight.size() >= limits.maxInFlight()) {
      reject(
          call,
          peer.rejected(
              "too many calls in flight: got %d (expected: fewer than %d)"
                  .formatted(inFlight.size(), limits.maxInFlight())));
    } else if (!open.isWritable()) {
      reject(
          call,
          peer.rejected(
              "too many bytes unsent: got about %d (expected: fewer than %d)"
                  .formatted(estimateUnsentBytes(open), limits.maxUnsentBytes())));
    } else {
      boolean zstd = requestStatus == FrameLayout.COMPRESSED && isForZstd(call);
      transmit(call, version, zstd ? 0 : requestStatus, zstd);
    }
  }

  /** Netty counts the unsent bytes above the low water mark of a channel that is not writable. */
  private static long estimateUnsentBytes(Channel open) {
    return open.bytesBeforeWritable() + open.config().getWriteBufferLowWaterMark();
  }

  /**
   * Returns whether the plugin reads a call compressed by zstd: those between nodes it does not.
   */
  private boolean isForZstd(ActiveCall<?> call) {
    return zstdProcesses.test(ephemeralId) && !call.action().startsWith(INTERNAL_ACTIONS);
  }

  /** Sends the first message of a connection, in the oldest compatible version. */
  void sendHandshake(ActiveCall<?> call) {
    transmit(call, Version.CURRENT.minimumCompatibilityVersion(), FrameLayout.HANDSHAKE, false);
  }

  private void reject(ActiveCall<?> call, NodeCallException failure) {
    SlotCounters.add(counters.rejections, 1);
    context.timeouts.remove(call);
    call.failLater(failure);
  }

  private void transmit(ActiveCall<?> call, Version in, int status, boolean zstd) {
    long id = nextId++;
    FrameStreamOutput out = context.takeOutput();
    int length;
    try {
      encode(call, id, in, status, out);
      length = writePayload(call, status, zstd, out);
    } catch (OutOfMemoryError e) {
      SlotCounters.add(counters.rejections, 1);
      failUnsent(call, out, peer.requestOutOfMemory(call.action(), e));
      return;
    } catch (Throwable e) { // an Error too: other calls use the channel
      failUnsent(call, out, peer.unsendable(call.action(), e));
      return;
    }
    UnsentBytesLimiter full = writer.reserve(length);
    if (full != null) {
      drop(out);
      reject(
          call,
          peer.rejectedForAllNodes(
              "too many bytes unsent to %s: got %d and %d more (expected: at most %d)"
                  .formatted(full.scope(), full.heldBytes(), length, full.maxBytes())));
      return;
    }
    inFlight.put(id, call);
    call.markInFlight(this, id);
    if (opened) {
      SlotCounters.add(counters.inFlight, 1);
      SlotCounters.add(counters.sent, 1);
      SlotCounters.add(counters.zstdRequests, zstd ? 1 : 0);
    }
    SlotCounters.add(counters.bytesOut, length);
    writer.write(out, length, call.isDeferrable());
    context.returnOutput(out);
  }

  private void failUnsent(ActiveCall<?> call, FrameStreamOutput out, NodeCallException failure) {
    drop(out);
    context.timeouts.remove(call);
    call.failLater(failure);
  }

  private void drop(FrameStreamOutput out) {
    out.reset();
    context.returnOutput(out);
  }

  private void encode(
      ActiveCall<?> active, long id, Version version, int status, FrameStreamOutput out)
      throws IOException {
    NodeCall<?> call = active.request();
    out.setVersion(version);
    out.writeByte((byte) 'E');
    out.writeByte((byte) 'S');
    out.writeInt(0);
    out.writeLong(id);
    out.writeByte((byte) status);
    out.writeInt(version.id);
    out.writeInt(0);
    context.headers.write(call.headers(), active.wantsLoadReport() ? loadRequest : NONE, out);
    out.writeVInt(0); // no response headers
    out.writeVInt(0); // no features
    out.writeString(call.action());
    out.patchInt(
        FrameLayout.VARIABLE_LENGTH_OFFSET, (int) out.position() - FrameLayout.HEADER_BYTES);
  }

  /** Returns the length of the frame. */
  private static int writePayload(
      ActiveCall<?> call, int status, boolean zstd, FrameStreamOutput out) throws IOException {
    if (zstd) {
      out.startZstd();
    } else if ((status & FrameLayout.COMPRESSED) != 0) {
      out.startDeflating();
    }
    call.request().payload().writeTo(out);
    return out.complete();
  }

  /** A late response to an abandoned call counts as orphaned. */
  @Override
  public void abandon(ActiveCall<?> call) {
    if (inFlight.get(call.id()) == call) {
      removeInFlight(call.id());
      context.timeouts.remove(call);
      closeIfDrained();
    }
  }

  @Override
  public void onTimeout(ActiveCall<?> call) {
    removeInFlight(call.id());
    SlotCounters.add(counters.timeouts, 1);
    long nanos = context.loop.ticker().nanoTime() - call.startNanos();
    call.fail(peer.timedOut(call.action(), call.id(), TimeUnit.NANOSECONDS.toMillis(nanos)));
    closeIfDrained();
  }

  private @Nullable ActiveCall<?> removeInFlight(long id) {
    ActiveCall<?> call = inFlight.remove(id);
    if (call != null && opened) {
      SlotCounters.add(counters.inFlight, -1);
    }
    return call;
  }

  /** Rejects further calls, and closes when no call is in flight or after the drain timeout. */
  void drain() {
    draining = true;
    closeIfDrained();
    if (!closed) {
      long nanos = context.options().timing().drainTimeout().toNanos();
      context.loop.schedule(() -> close(null), nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void closeIfDrained() {
    if (draining && inFlight.isEmpty()) {
      close(null);
    }
  }

  /** Closes the connection; calls in flight fail. */
  void close(@Nullable Throwable failure) {
    if (cause == null) {
      cause = failure;
    }
    isClosing = true;
    writer.close();
  }

  private void ping() {
    Channel open = channel;
    if (closed || open == null) {
      return;
    }
    if (hasReceived) {
      hasReceived = false;
      missedPings = 0;
    } else if (++missedPings > MAX_MISSED_PINGS) {
      close(
          new IOException(
              "node silent: got nothing in answer to "
                  + MAX_MISSED_PINGS
                  + " pings (expected: an answer within "
                  + context.options().timing().pingInterval()
                  + ")"));
      return;
    } else {
      writer.writeUncounted(PING.duplicate());
    }
    keepAlive();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    channel = ctx.channel();
    writer.open(ctx.channel());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (!closed) {
        hasReceived = true;
        SlotCounters.add(counters.bytesIn, in.readableBytes());
        decoder.decode(in);
      }
    } catch (IOException e) {
      LOG.warn(
          "closing the channel to [{}] at {}: {}",
          peer.endpoint().name(),
          peer.node().getAddress(),
          e.getMessage());
      closed = true;
      close(e);
    } finally {
      in.release();
    }
  }

  @Override
  public @Nullable Frame onHeader(FrameHeader head) {
    ActiveCall<?> call = findWaitingCall(head);
    if (call == null) {
      return null;
    }
    if (call.isReplyIgnored()) {
      removeAnswered(call);
      call.skipReply();
      closeIfDrained();
      return null;
    }
    Frame.Charge charge = new Frame.Charge(context.shared.heldFrames(), call.budget());
    int rest = head.remainingBytes();
    Exception rejection = charge.reserve(rest);
    if (rejection != null) {
      return prefixFrame(head, rejection);
    }
    try {
      return new Frame(head, context.shared.allocate(rest), charge);
    } catch (OutOfMemoryError e) {
      charge.release();
      return prefixFrame(head, peer.responseOutOfMemory(rest, e));
    }
  }

  /** Allocates the prefix of a frame over the memory limit. */
  private Frame prefixFrame(FrameHeader head, Exception rejection) {
    int prefixBytes =
        Math.min(
            head.remainingBytes(),
            Math.min(head.variableLength, MAX_REJECTED_HEADER_BYTES) + MAX_REJECTED_PAYLOAD_BYTES);
    return new Frame(
        head,
        Unpooled.buffer(prefixBytes, prefixBytes),
        new Frame.Charge(context.shared.heldFrames(), null),
        rejection);
  }

  @Override
  public @Nullable Frame onOversizedHeader(FrameHeader head) {
    return findWaitingCall(head) == null
        ? null
        : prefixFrame(
            head, peer.responseTooLarge(head.length, context.options().limits().maxFrameBytes()));
  }

  /**
   * Returns the call that waits for a frame; counts an orphaned frame and returns null otherwise.
   */
  private @Nullable ActiveCall<?> findWaitingCall(FrameHeader head) {
    ActiveCall<?> call = inFlight.get(head.requestId);
    if (call == null || call.isAbandoned() || (head.status & FrameLayout.RESPONSE) == 0) {
      SlotCounters.add(counters.orphanedResponses, 1);
      return null;
    }
    return call;
  }

  @Override
  public void onFrame(Frame frame) {
    ActiveCall<?> call = inFlight.get(frame.requestId);
    if (call == null) {
      SlotCounters.add(counters.orphanedResponses, 1);
      frame.release();
      return;
    }
    removeAnswered(call);
    replies.complete(call, frame, peer, version);
    closeIfDrained();
  }

  private void removeAnswered(ActiveCall<?> call) {
    removeInFlight(call.id());
    context.timeouts.remove(call);
    if (opened) {
      SlotCounters.add(counters.responses, 1);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    closed = true;
    decoder.close();
    List<ActiveCall<?>> lost = new ArrayList<>(inFlight.values());
    inFlight.clear();
    if (opened) {
      SlotCounters.add(counters.inFlight, -lost.size());
    }
    listener.onClosed(this, cause);
    for (ActiveCall<?> call : lost) {
      context.timeouts.remove(call);
      call.fail(peer.disconnected(call.action()));
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable error) {
    LOG.debug("channel to {} failed", peer.node(), error);
    close(error);
  }
}
