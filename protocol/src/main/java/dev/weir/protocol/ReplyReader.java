package dev.weir.protocol;

import dev.weir.protocol.compression.ZstdPayloads;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.tasks.TaskResourceTrackingService;
import org.opensearch.transport.TransportService;

/**
 * Reads complete frames and completes their calls. Works on the channel's event loop; the payload
 * for a caller elsewhere is read on that caller's executor.
 */
final class ReplyReader {
  static {
    try { // this class registers the exceptions that nodes send
      MethodHandles.lookup().ensureInitialized(TransportService.class);
    } catch (IllegalAccessException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int DEFLATE_HEADER = ('D' << 24) | ('F' << 16) | ('L' << 8);
  private static final int DEFLATE_HEADER_BYTES = 4;

  /** The bytes that are reported of a response over the memory limit. */
  private static final int MAX_PREFIX_BYTES = ZstdPayloads.PLAIN_BYTES;

  private static final byte[] EMPTY = {};

  /**
   * The name, as written, of a header on each reply to a query or fetch: the resources that the
   * node used. A node keeps it from clients, and so does the gateway.
   */
  private static final byte[] RESOURCE_USAGE_NAME =
      HeaderEncoder.encode(TaskResourceTrackingService.TASK_RESOURCE_USAGE);

  /** The name, as written, of the header with a node's load, which is the gateway's alone. */
  private static final byte[] LOAD_NAME = HeaderEncoder.encode(NodeLoadReport.HEADER);

  /** The name, as written, of the header of a response that is compressed by zstd. */
  private static final byte[] ZSTD_NAME = HeaderEncoder.encode(ZstdPayloads.HEADER);

  private final LoopContext context;

  ReplyReader(LoopContext context) {
    this.context = context;
  }

  /**
   * Completes {@code call} with {@code frame}; takes over the frame.
   *
   * @param expected the channel's version
   */
  <R> void complete(ActiveCall<R> call, Frame frame, Peer peer, Version expected) {
    NodeCallException failure = findPayload(call, frame, peer);
    if (failure == null && !call.isOnCallerExecutor()) {
      call.readLater(frame, () -> readPayload(call, frame, peer, expected));
      return;
    }
    if (failure == null) {
      failure = readPayload(call, frame, peer, expected);
    }
    if (failure != null) {
      frame.release();
      call.fail(failure);
    } else {
      call.succeed(frame);
    }
  }

  /** Reads the headers, and decompresses the payload; returns the call's failure, or null. */
  private @Nullable NodeCallException findPayload(ActiveCall<?> call, Frame frame, Peer peer) {
    Exception rejection = frame.rejection();
    try {
      if (rejection != null) {
        ByteBuf beginning = frame.content();
        beginning.readerIndex(Math.min(frame.variableLength, beginning.writerIndex()));
      } else {
        readResponseHeaders(frame);
        rejection = decompress(frame);
      }
    } catch (OutOfMemoryError e) {
      rejection = peer.responseOutOfMemory(frame.wireBytes(), e);
    } catch (Throwable e) { // an Error too: other calls use the channel
      return malformed(call, peer, e);
    }
    boolean isDeflated = frame.hasFlag(FrameLayout.COMPRESSED);
    return rejection == null ? null : peer.overBudget(rejection, payloadPrefix(frame, isDeflated));
  }

  /** Reads the reply, and gives it to the call; returns the call's failure, or null. */
  private <R> @Nullable NodeCallException readPayload(
      ActiveCall<R> call, Frame frame, Peer peer, Version expected) {
    NodeCallException failure = null;
    try {
      Version version = frame.versionId == expected.id ? expected : Version.fromId(frame.versionId);
      boolean error = frame.hasFlag(FrameLayout.ERROR);
      FrameStreamInput in =
          payload(frame, version, error || call.request().kind() == ChannelKind.CONTROL);
      if (error) {
        failure = peer.remote(exception(in));
      } else {
        call.setReply(call.request().reader().read(in));
      }
      if (in.available() > 0) {
        throw new IOException(
            "answer not read to its end: got "
                + in.available()
                + " bytes more after "
                + in.position()
                + " (expected: 0)");
      }
    } catch (CircuitBreakingException tooLarge) { // for the deserialized response
      failure = peer.overBudget(tooLarge, payloadPrefix(frame, false));
    } catch (OutOfMemoryError e) {
      CircuitBreakingException tooLarge = peer.responseOutOfMemory(frame.wireBytes(), e);
      failure = peer.overBudget(tooLarge, payloadPrefix(frame, false));
    } catch (Throwable e) { // an Error too: it must not strand the call
      failure = malformed(call, peer, e);
    }
    return failure;
  }

  private static NodeCallException malformed(ActiveCall<?> call, Peer peer, Throwable cause) {
    return peer.malformed(
        "Failed to deserialize response of [" + call.action() + "]: " + cause.getMessage(), cause);
  }

  /** Returns the first bytes of a response's payload, inflated if necessary. */
  private byte[] payloadPrefix(Frame frame, boolean compressed) {
    if (frame.hasFlag(FrameLayout.ERROR)) {
      return EMPTY;
    }
    ByteBuf in = frame.content();
    try {
      byte[] first = new byte[MAX_PREFIX_BYTES];
      int length = Math.min(MAX_PREFIX_BYTES, in.readableBytes());
      if (compressed) {
        length = startInflating(in).inflate(first);
      } else {
        in.getBytes(in.readerIndex(), first, 0, length);
      }
      return Arrays.copyOf(first, length);
    } catch (IOException | DataFormatException | OutOfMemoryError unknown) {
      return EMPTY;
    }
  }

  private static Exception exception(FrameStreamInput in) throws IOException {
    Exception error = in.readException();
    if (error == null) {
      throw new IOException("got an error without an exception (expected: one)");
    }
    return error;
  }

  private FrameStreamInput payload(Frame frame, Version version, boolean copies) {
    ByteBuf content = frame.content();
    int from = content.readerIndex();
    FrameStreamInput in =
        new FrameStreamInput(
            content.array(),
            content.arrayOffset() + from,
            content.writerIndex() - from,
            context.shared.registry(),
            copies);
    in.setVersion(version);
    return in;
  }

  /**
   * Reads the variable header and moves the content's reader index behind it. Leaves out the
   * resources that the node used, and keeps the node's load and the size of a compressed payload
   * apart.
   */
  private void readResponseHeaders(Frame frame) throws IOException {
    ByteBuf content = frame.content();
    int length = frame.variableLength;
    FrameStreamInput in =
        new FrameStreamInput(
            content.array(), content.arrayOffset(), length, context.shared.registry(), true);
    content.readerIndex(length);
    if (length == 0) {
      return;
    }
    // A response repeats the request's headers: skip them.
    for (int left = in.readVInt(); left > 0; left--) {
      in.skipString();
      in.skipString();
    }
    int count = in.available() == 0 ? 0 : in.readVInt();
    Map<String, Set<String>> headers = null;
    for (int left = count; left > 0; left--) {
      if (isAt(RESOURCE_USAGE_NAME, content, in)) {
        skipHeader(in);
        continue;
      }
      if (isAt(LOAD_NAME, content, in)) {
        frame.loadReport(readLoadReport(content, in));
        continue;
      }
      if (isAt(ZSTD_NAME, content, in)) {
        in.skipString();
        frame.zstdSize(ZstdPayloads.parseSize(in.readStringList().getFirst()));
        continue;
      }
      if (headers == null) {
        headers = new HashMap<>();
      }
      String name = in.readString();
      headers.put(name, new LinkedHashSet<>(in.readStringList()));
    }
    if (headers != null) {
      frame.responseHeaders(headers);
    }
  }

  /** Returns whether the next header has a name. */
  private static boolean isAt(byte[] name, ByteBuf content, FrameStreamInput in) {
    if (in.available() < name.length) {
      return false;
    }
    int from = content.arrayOffset() + in.position();
    return Arrays.equals(content.array(), from, from + name.length, name, 0, name.length);
  }

  /** Skips a header's name and its values. */
  private static void skipHeader(FrameStreamInput in) throws IOException {
    in.skipString();
    skipValues(in, readValueCount(in));
  }

  private static int readValueCount(FrameStreamInput in) throws IOException {
    int values = in.readVInt();
    if (values < 0) {
      throw new IOException("got a header with " + values + " values (expected: 0 or more)");
    }
    return values;
  }

  private static void skipValues(FrameStreamInput in, int values) throws IOException {
    for (int left = values; left > 0; left--) {
      in.skipString();
    }
  }

  /**
   * Reads the node's load from the first value, and skips the others: the last is no later than the
   * first. Returns null if there is none, or not one that this gateway understands.
   */
  private static @Nullable NodeLoadReport readLoadReport(ByteBuf content, FrameStreamInput in)
      throws IOException {
    in.skipString();
    int values = readValueCount(in);
    if (values == 0) {
      return null;
    }
    int from = content.arrayOffset() + in.position();
    in.skipString();
    int to = content.arrayOffset() + in.position();
    skipValues(in, values - 1);
    // a report is so short that its length is one byte
    return content.array()[from] == to - from - 1
        ? NodeLoadReport.parse(content.array(), from + 1, to)
        : null;
  }

  /**
   * Decompresses a frame's payload in place, if it is compressed. If the budget rejects the size,
   * returns the reason and leaves the payload unchanged.
   */
  private @Nullable Exception decompress(Frame frame) throws IOException {
    if (frame.hasFlag(FrameLayout.COMPRESSED)) {
      return inflate(frame);
    }
    return frame.zstdSize() > 0 && !frame.hasFlag(FrameLayout.ERROR) ? decompressZstd(frame) : null;
  }

  private @Nullable Exception decompressZstd(Frame frame) throws IOException {
    int size = frame.zstdSize();
    checkInflated(size);
    Exception rejection = frame.charge().reserve(size);
    if (rejection != null) {
      return rejection;
    }
    ByteBuf out = context.shared.allocate(size);
    boolean done = false;
    try {
      context.zstd.decompress(frame.content(), out);
      done = true;
    } finally {
      if (!done) {
        out.release();
      }
    }
    frame.replaceContent(out);
    return null;
  }

  private void checkInflated(long bytes) throws IOException {
    int limit = context.options().limits().maxInflatedBytes();
    if (bytes > limit) {
      throw new IOException(
          "got an answer that inflates to over " + limit + " bytes (expected: no more)");
    }
  }

  /** Gives a payload to the inflater, and leaves the buffer unchanged. */
  private Inflater startInflating(ByteBuf in) throws IOException {
    int start = in.readerIndex();
    int length = in.readableBytes() - DEFLATE_HEADER_BYTES;
    if (length < 0 || in.getInt(start) != DEFLATE_HEADER) {
      throw new IOException(
          "got a compressed answer without its marker (expected: \"DFL\" and zero)");
    }
    Inflater inflater = context.inflater();
    inflater.setInput(in.array(), in.arrayOffset() + start + DEFLATE_HEADER_BYTES, length);
    return inflater;
  }

  /**
   * Inflates a frame's payload in place. If the budget rejects the size, returns the reason and
   * leaves the payload unchanged.
   */
  private @Nullable Exception inflate(Frame frame) throws IOException {
    ByteBuf in = frame.content();
    Inflater inflater = startInflating(in);
    int limit = context.options().limits().maxInflatedBytes();
    int wanted = (int) Math.min(limit, Math.max(1024, 4L * in.readableBytes()));
    Exception rejection = frame.charge().reserve(wanted, true);
    if (rejection != null) { // numbers and binary values grow by little
      wanted = (int) Math.min(limit, Math.max(1024, 5L * in.readableBytes() / 4));
      rejection = frame.charge().reserve(wanted);
    }
    if (rejection != null) {
      return rejection;
    }
    ByteBuf out = context.shared.allocator().heapBuffer(wanted, limit);
    boolean done = false;
    try {
      while (!inflater.finished()) {
        if (!out.isWritable()) {
          int more = (int) Math.min((long) limit - out.capacity(), out.capacity());
          if (more == 0) {
            checkInflated(limit + 1L);
          }
          rejection = frame.charge().reserve(more);
          if (rejection != null) {
            return rejection;
          }
          out.capacity(out.capacity() + more);
        }
        int count =
            inflater.inflate(
                out.array(), out.arrayOffset() + out.writerIndex(), out.writableBytes());
        out.writerIndex(out.writerIndex() + count);
        if (count == 0 && !inflater.finished() && out.isWritable()) {
          throw new IOException("got a compressed answer that ends early (expected: all of it)");
        }
      }
      done = true;
    } catch (DataFormatException e) {
      throw new IOException("got a compressed answer in another format (expected: DEFLATE)", e);
    } finally {
      if (!done) {
        out.release();
      }
    }
    frame.replaceContent(out);
    return null;
  }
}
