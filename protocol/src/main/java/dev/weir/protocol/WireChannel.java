package dev.weir.protocol;

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
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection to a node: encodes requests, keeps what is in flight, gives answers to their
 * calls. Confined to its event loop.
 *
 * <pre>
 *   [tls] -> wire: FrameDecoder -> in-flight table -> ReplyReader -> Call
 *   [tls] <- wire: FrameOutput <- send; flushed once a tick of the loop
 * </pre>
 */
final class WireChannel extends ChannelInboundHandlerAdapter implements FrameDecoder.Sink {
  private static final Logger LOG = LoggerFactory.getLogger(WireChannel.class);
  private static final ByteBuf PING =
      Unpooled.unreleasableBuffer(
          Unpooled.directBuffer(Wire.PREFIX)
              .writeShort(Wire.MARKER)
              .writeInt(Wire.PING)
              .asReadOnly());
  private static final int SILENT_PINGS = 3;

  /** What is read of an answer that there is no room for, in bytes: headers and some more. */
  private static final int MOST_OF_REFUSED = 2048;

  /** Hears the end of the connection. */
  interface Listener {
    /** The connection is gone; what was in flight fails right after this. */
    void closed(WireChannel wire, @Nullable Throwable cause);
  }

  private final LoopContext context;
  private final Peer peer;
  private final SlotCounters counters;
  private final Listener listener;
  private final FrameDecoder decoder;
  private final ReplyReader replies;
  private final LongObjectHashMap<Call<?>> inFlight = new LongObjectHashMap<>();
  private final Consumer<ByteBuf> writer = this::write;
  private final Runnable flusher = this::flush;
  private @Nullable Channel channel;
  private String ephemeralId = "";
  private Version version = Version.CURRENT.minimumCompatibilityVersion();
  private int requestStatus;
  private long nextId = 1;
  private boolean opened;
  private boolean flushPending;
  private boolean draining;
  private boolean closed;
  private boolean heard;
  private int silence;
  private @Nullable Throwable cause;

  WireChannel(LoopContext context, Peer peer, SlotCounters counters, Listener listener) {
    this.context = context;
    this.peer = peer;
    this.counters = counters;
    this.listener = listener;
    this.decoder = new FrameDecoder(context.options().limits().maxFrameBytes(), this);
    this.replies = new ReplyReader(context);
  }

  Peer peer() {
    return peer;
  }

  /** The address at the other end; null when not connected. */
  @Nullable SocketAddress remoteAddress() {
    Channel open = channel;
    return open == null ? null : open.remoteAddress();
  }

  /** The handshakes are done: what is sent from now on is of this version. */
  void ready(Version negotiated, boolean compress) {
    version = negotiated;
    requestStatus = compress ? Wire.COMPRESSED : 0;
  }

  /** Which start of the node this is; empty while not known. */
  String ephemeralId() {
    return ephemeralId;
  }

  /** Both handshakes are done: calls count from now on, and keep-alive pings are sent. */
  void opened(String nodeEphemeralId) {
    ephemeralId = nodeEphemeralId;
    opened = true;
    keepAlive();
  }

  private void keepAlive() {
    long nanos = context.options().timing().ping().toNanos();
    context.loop.schedule(this::ping, nanos, TimeUnit.NANOSECONDS);
  }

  /** Sends a call, or fails it later when the channel has no room. */
  void send(Call<?> call) {
    TransportOptions.Limits limits = context.options().limits();
    Channel open = channel;
    if (closed || draining || open == null || !open.isOpen()) { // it hears of its close later
      context.timeouts.remove(call);
      call.failLater(peer.notConnected());
    } else if (inFlight.size() >= limits.maxInFlight()) {
      refuse(
          call,
          "too many calls in flight: got " + inFlight.size(),
          "fewer than " + limits.maxInFlight());
    } else if (!open.isWritable()) {
      refuse(
          call,
          "too many bytes unsent: got about " + -open.bytesBeforeWritable(),
          "fewer than " + limits.maxUnsentBytes());
    } else {
      transmit(call, version, requestStatus);
    }
  }

  /** Sends the first message of a connection, in the oldest version that nodes may speak. */
  void sendHandshake(Call<?> call) {
    transmit(call, Version.CURRENT.minimumCompatibilityVersion(), Wire.HANDSHAKE);
  }

  private void refuse(Call<?> call, String what, String expected) {
    SlotCounters.add(counters.refused, 1);
    context.timeouts.remove(call);
    call.failLater(peer.refused(what + " (expected: " + expected + ")"));
  }

  private void transmit(Call<?> call, Version in, int status) {
    long id = nextId++;
    FrameOutput out = context.takeOutput();
    int length;
    try {
      length = encode(call.request(), id, in, status, out);
    } catch (OutOfMemoryError e) {
      SlotCounters.add(counters.refused, 1);
      unsent(call, out, peer.noRoom(call.action(), e));
      return;
    } catch (IOException | RuntimeException | StackOverflowError | AssertionError e) {
      unsent(call, out, peer.unsendable(call.action(), e));
      return;
    }
    UnsentBytes all = context.shared.unsent();
    UnsentBytes full = all.take(length);
    if (full != null) {
      drop(out);
      refuse(
          call,
          "too many bytes unsent to %s: got %d and %d more"
              .formatted(full.whose(), full.held(), length),
          "at most " + full.most());
      return;
    }
    inFlight.put(id, call);
    call.inFlight(this, id);
    if (opened) {
      SlotCounters.add(counters.inFlight, 1);
      SlotCounters.add(counters.sent, 1);
    }
    SlotCounters.add(counters.bytesOut, length);
    out.drainTo(writer, last -> writeLast(last, length));
    context.giveBack(out);
    flushLater();
  }

  private void unsent(Call<?> call, FrameOutput out, NodeFailure why) {
    drop(out);
    context.timeouts.remove(call);
    call.failLater(why);
  }

  private void drop(FrameOutput out) {
    out.reset();
    context.giveBack(out);
  }

  private static int encode(NodeCall<?> call, long id, Version version, int status, FrameOutput out)
      throws IOException {
    out.setVersion(version);
    out.writeByte((byte) 'E');
    out.writeByte((byte) 'S');
    out.writeInt(0);
    out.writeLong(id);
    out.writeByte((byte) status);
    out.writeInt(version.id);
    out.writeInt(0);
    Map<String, String> headers = call.headers();
    out.writeVInt(headers.size());
    if (!headers.isEmpty()) {
      for (Map.Entry<String, String> header : headers.entrySet()) {
        out.writeString(header.getKey());
        out.writeString(header.getValue());
      }
    }
    out.writeVInt(0); // no response headers
    out.writeVInt(0); // no features
    out.writeString(call.action());
    out.patchInt(Wire.VARIABLE_LENGTH_AT, (int) out.position() - Wire.HEAD);
    if ((status & Wire.COMPRESSED) != 0) {
      out.startDeflating();
    }
    call.payload().writeTo(out);
    return out.complete();
  }

  private void write(ByteBuf bytes) {
    Channel open = channel;
    if (open == null) {
      bytes.release();
    } else {
      open.write(bytes, open.voidPromise());
    }
  }

  /** Writes the end of a frame; its bytes are given back when it has left, or can't. */
  private void writeLast(ByteBuf bytes, int frameBytes) {
    Channel open = channel;
    UnsentBytes all = context.shared.unsent();
    if (open == null) {
      all.giveBack(frameBytes);
      bytes.release();
    } else {
      open.write(bytes)
          .addListener(written -> {
            all.giveBack(frameBytes);
            if (!written.isSuccess()) {
              close(written.cause());
            }
          });
    }
  }

  /** Small frames of one tick of the loop leave together. */
  private void flushLater() {
    if (!flushPending) {
      flushPending = true;
      context.loop.execute(flusher);
    }
  }

  private void flush() {
    flushPending = false;
    Channel open = channel;
    if (open != null) {
      open.flush();
    }
  }

  /** Takes a call out that nobody waits for any more; its answer will be an orphan. */
  void forget(Call<?> call) {
    if (inFlight.get(call.id()) == call) {
      settled(call.id());
      context.timeouts.remove(call);
      closeIfDrained();
    }
  }

  /** A call's time is over. */
  void timedOut(Call<?> call) {
    settled(call.id());
    SlotCounters.add(counters.timedOut, 1);
    long nanos = context.loop.ticker().nanoTime() - call.startNanos();
    call.fail(peer.timedOut(call.action(), call.id(), TimeUnit.NANOSECONDS.toMillis(nanos)));
    closeIfDrained();
  }

  private @Nullable Call<?> settled(long id) {
    Call<?> call = inFlight.remove(id);
    if (call != null && opened) {
      SlotCounters.add(counters.inFlight, -1);
    }
    return call;
  }

  /** Takes no more calls, and closes when nothing is in flight, or has been for too long. */
  void drain() {
    draining = true;
    closeIfDrained();
    if (!closed) {
      long nanos = context.options().timing().drain().toNanos();
      context.loop.schedule(() -> close(null), nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void closeIfDrained() {
    if (draining && inFlight.isEmpty()) {
      close(null);
    }
  }

  /** Closes the connection; what is in flight fails. */
  void close(@Nullable Throwable why) {
    if (cause == null) {
      cause = why;
    }
    Channel open = channel;
    if (open != null) {
      open.close();
    }
  }

  private void ping() {
    Channel open = channel;
    if (closed || open == null) {
      return;
    }
    if (heard) {
      heard = false;
      silence = 0;
    } else if (++silence > SILENT_PINGS) {
      close(
          new IOException(
              "node silent: got nothing in answer to "
                  + SILENT_PINGS
                  + " pings (expected: an answer within "
                  + context.options().timing().ping()
                  + ")"));
      return;
    } else {
      write(PING.duplicate());
      flushLater();
    }
    keepAlive();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    channel = ctx.channel();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (!closed) {
        heard = true;
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
  public @Nullable Frame begin(FrameHead head) {
    Call<?> call = awaiting(head);
    if (call == null) {
      return null;
    }
    Frame.Charge charge = new Frame.Charge(context.shared.held(), call.budget());
    int rest = head.rest();
    Exception refused = charge.reserve(rest);
    if (refused != null) {
      return beginning(head, refused);
    }
    try {
      return new Frame(head, context.shared.room(rest), charge);
    } catch (OutOfMemoryError e) {
      charge.release();
      return beginning(head, peer.noMemory(rest, e));
    }
  }

  /** The place for the little that is read of a frame that there is no room for. */
  private Frame beginning(FrameHead head, Exception refused) {
    int kept = Math.min(head.rest(), MOST_OF_REFUSED);
    return new Frame(
        head, Unpooled.buffer(kept, kept), new Frame.Charge(context.shared.held(), null), refused);
  }

  @Override
  public @Nullable Frame tooLong(FrameHead head) {
    return awaiting(head) == null
        ? null
        : beginning(head, peer.tooLong(head.length, context.options().limits().maxFrameBytes()));
  }

  /** Who waits for a frame; null, and counted, where nobody does. */
  private @Nullable Call<?> awaiting(FrameHead head) {
    Call<?> call = inFlight.get(head.requestId);
    if (call == null || call.forgotten() || (head.status & Wire.RESPONSE) == 0) {
      SlotCounters.add(counters.orphans, 1);
      return null;
    }
    return call;
  }

  @Override
  public void end(Frame frame) {
    Call<?> call = settled(frame.requestId);
    if (call == null) {
      SlotCounters.add(counters.orphans, 1);
      frame.release();
      return;
    }
    context.timeouts.remove(call);
    if (opened) {
      SlotCounters.add(counters.answered, 1);
    }
    replies.settle(call, frame, peer, version);
    closeIfDrained();
  }

  @Override
  public void pinged() {}

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    closed = true;
    decoder.close();
    List<Call<?>> lost = new ArrayList<>(inFlight.values());
    inFlight.clear();
    if (opened) {
      SlotCounters.add(counters.inFlight, -lost.size());
    }
    listener.closed(this, cause);
    for (Call<?> call : lost) {
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
