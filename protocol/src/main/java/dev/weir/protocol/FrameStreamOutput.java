package dev.weir.protocol;

import dev.weir.protocol.compression.DeflateCompressor;
import dev.weir.protocol.compression.PayloadCompressor;
import dev.weir.protocol.compression.ZstdCompressor;
import dev.weir.protocol.compression.ZstdPayloads;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * Writes frames as OpenSearch's stream, directly into pooled direct memory. Each event loop has one
 * for all of its frames. Small writes collect in an array; large ones bypass it, so that a
 * document's bytes are copied once, into the memory from which the socket sends them. Confined to
 * its event loop.
 */
final class FrameStreamOutput extends StreamOutput {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  static final int SCRATCH_BYTES = 16 << 10;
  private static final int LARGE = 2 << 10;

  /**
   * From this length on, encoding a text as a block is faster than character by character. Longer
   * texts than the scratch buffer are not copied: a client decides how long they are.
   */
  private static final int MIN_BLOCK_CHARS = 256;

  private static final int INITIAL_SEGMENT_BYTES = 64 << 10;
  private static final int MAX_SEGMENT_BYTES = 1 << 20;
  private static final int MAX_VLONG_BYTES = 10;
  private static final byte[] DEFLATE_HEADER = {'D', 'F', 'L', 0};

  private final byte[] scratch = new byte[SCRATCH_BYTES];
  private final ByteBufAllocator allocator;
  private final int maxFrameBytes;
  private final List<ByteBuf> segments = new ArrayList<>();
  private int filled;
  private int spilled;
  private @Nullable DeflateCompressor deflater;
  private @Nullable ZstdCompressor zstd;

  /** What compresses the payload; null while nothing is compressed. */
  private @Nullable PayloadCompressor compressor;

  /**
   * Where in the scratch buffer a payload begins that zstd gets when the buffer is full, or at the
   * end; 0 if there is none.
   */
  private int zstdFrom;

  /** How many bytes of this payload are compressed. */
  private int inputBytes;

  /**
   * Creates an output.
   *
   * @param maxFrameBytes a write beyond this size fails
   */
  FrameStreamOutput(ByteBufAllocator allocator, int maxFrameBytes) {
    this.allocator = allocator;
    this.maxFrameBytes = maxFrameBytes;
  }

  /** Returns the frame's bytes so far; only approximate after the start of a compressed payload. */
  @Override
  public long position() {
    return (long) spilled + filled;
  }

  /** Overwrites an int in the frame's header. */
  void patchInt(int position, int value) {
    if (spilled > position) {
      segments.get(0).setInt(position, value);
    } else {
      INT.set(scratch, position - spilled, value);
    }
  }

  /** Compresses everything from here on, after OpenSearch's marker of four bytes. */
  void startDeflating() throws IOException {
    writeBytes(DEFLATE_HEADER, 0, DEFLATE_HEADER.length);
    spill();
    if (deflater == null) {
      deflater = new DeflateCompressor();
    }
    compressor = deflater;
  }

  /**
   * Compresses everything from here on by zstd, unless it is small ({@link
   * dev.weir.protocol.compression}).
   */
  void startZstd() throws IOException {
    writeInt(ZstdPayloads.MARKER);
    zstdFrom = filled;
  }

  /**
   * Completes the frame; its length is final after this.
   *
   * @return its length in bytes
   */
  int complete() throws IOException {
    if (zstdFrom > 0) {
      endSmallPayload();
    }
    if (zstdFrom > 0 || compressor != null) {
      spill(); // starts zstd, if nothing did before
      finish(Objects.requireNonNull(compressor));
    } else if (segments.isEmpty()) {
      ByteBuf exact = allocator.directBuffer(filled, filled);
      exact.writeBytes(scratch, 0, filled);
      segments.add(exact);
      spilled = filled;
      filled = 0;
    } else {
      spill();
    }
    patchInt(FrameLayout.LENGTH_OFFSET, spilled - FrameLayout.PREFIX_BYTES);
    return spilled;
  }

  /**
   * Passes on the completed frame's buffers in order, and prepares for the next frame.
   *
   * @param last receives the last buffer
   */
  void drainTo(Consumer<ByteBuf> receiver, Consumer<ByteBuf> last) {
    int end = segments.size() - 1;
    for (int i = 0; i < end; i++) {
      receiver.accept(segments.get(i));
    }
    last.accept(segments.get(end));
    segments.clear();
    restart();
  }

  /** Discards what was written and prepares for the next frame. */
  @Override
  public void reset() {
    segments.forEach(ByteBuf::release);
    segments.clear();
    restart();
  }

  private void restart() {
    filled = 0;
    spilled = 0;
    if (compressor != null) {
      compressor.reset();
      compressor = null;
    }
    zstdFrom = 0;
    inputBytes = 0;
  }

  /** Frees the memory outside of the heap; the output is unusable after this. */
  @Override
  public void close() {
    reset();
    if (deflater != null) {
      deflater.close();
      deflater = null;
    }
    if (zstd != null) {
      zstd.close();
      zstd = null;
    }
  }

  @Override
  public void flush() {}

  @Override
  public void writeByte(byte b) throws IOException {
    if (filled == SCRATCH_BYTES) {
      spill();
    }
    scratch[filled++] = b;
  }

  @Override
  public void writeBytes(byte[] from, int offset, int length) throws IOException {
    if (length <= SCRATCH_BYTES - filled && length < LARGE) {
      System.arraycopy(from, offset, scratch, filled, length);
      filled += length;
    } else {
      spill();
      if (length < LARGE) {
        System.arraycopy(from, offset, scratch, 0, length);
        filled = length;
      } else {
        pass(from, offset, length);
      }
    }
  }

  @Override
  public void writeInt(int value) throws IOException {
    ensureCapacity(Integer.BYTES);
    INT.set(scratch, filled, value);
    filled += Integer.BYTES;
  }

  @Override
  public void writeLong(long value) throws IOException {
    ensureCapacity(Long.BYTES);
    LONG.set(scratch, filled, value);
    filled += Long.BYTES;
  }

  @Override
  public void writeVInt(int value) throws IOException {
    ensureCapacity(MAX_VLONG_BYTES);
    int rest = value;
    while ((rest & ~0x7F) != 0) {
      scratch[filled++] = (byte) ((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    scratch[filled++] = (byte) rest;
  }

  @Override
  public void writeVLongNoCheck(long value) throws IOException {
    ensureCapacity(MAX_VLONG_BYTES);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      scratch[filled++] = (byte) ((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    scratch[filled++] = (byte) rest;
  }

  @Override
  public void writeZLong(long value) throws IOException {
    writeVLongNoCheck((value << 1) ^ (value >> 63));
  }

  @Override
  public void writeString(String text) throws IOException {
    int chars = text.length();
    writeVInt(chars);
    if (chars >= MIN_BLOCK_CHARS && chars <= SCRATCH_BYTES) {
      // Long texts are mostly headers of users, in ASCII, which the JDK copies as a block.
      byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
      if (encoded.length == chars
          && new String(encoded, StandardCharsets.ISO_8859_1).equals(text)) {
        writeBytes(encoded, 0, chars);
        return;
      }
    }
    for (int from = 0; from < chars; ) {
      ensureCapacity(3);
      int to = Math.min(chars, from + (SCRATCH_BYTES - filled) / 3);
      filled = encode(text, from, to, filled);
      from = to;
    }
  }

  private int encode(String text, int from, int to, int position) {
    byte[] into = scratch;
    int p = position;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c <= 0x7F) {
        into[p++] = (byte) c;
      } else if (c > 0x7FF) {
        into[p++] = (byte) (0xE0 | ((c >> 12) & 0x0F));
        into[p++] = (byte) (0x80 | ((c >> 6) & 0x3F));
        into[p++] = (byte) (0x80 | (c & 0x3F));
      } else {
        into[p++] = (byte) (0xC0 | ((c >> 6) & 0x1F));
        into[p++] = (byte) (0x80 | (c & 0x3F));
      }
    }
    return p;
  }

  private void ensureCapacity(int bytes) throws IOException {
    if (filled > SCRATCH_BYTES - bytes) {
      spill();
    }
  }

  private void spill() throws IOException {
    if (filled > 0) {
      int length = filled;
      filled = 0;
      pass(scratch, 0, length);
    }
  }

  private void pass(byte[] from, int offset, int length) throws IOException {
    if (zstdFrom > 0) {
      startCompressing(from, offset, length);
    } else if (compressor != null) {
      compress(compressor, from, offset, length);
    } else {
      passPlain(from, offset, length);
    }
  }

  private void passPlain(byte[] from, int offset, int length) throws IOException {
    checkLimit(length);
    int at = offset;
    int left = length;
    while (left > 0) {
      ByteBuf segment = segment(left);
      int now = Math.min(left, segment.writableBytes());
      segment.writeBytes(from, at, now);
      at += now;
      left -= now;
      spilled += now;
    }
  }

  /** Passes on the scratch buffer, in which a payload begins for zstd. */
  private void startCompressing(byte[] from, int offset, int length) throws IOException {
    int header = zstdFrom;
    zstdFrom = 0;
    passPlain(from, offset, header);
    if (zstd == null) {
      zstd = new ZstdCompressor();
    }
    compressor = zstd;
    compress(zstd, from, offset + header, length - header);
  }

  private void compress(PayloadCompressor by, byte[] from, int offset, int length)
      throws IOException {
    inputBytes += length;
    by.setInput(from, offset, length);
    drain(by);
  }

  /** Ends a payload, all in the scratch buffer, that is so small that zstd does not get it. */
  private void endSmallPayload() {
    if (filled - zstdFrom < ZstdPayloads.MIN_REQUEST_BYTES
        && filled <= SCRATCH_BYTES - Integer.BYTES) {
      zstdFrom = 0;
      INT.set(scratch, filled, 0);
      filled += Integer.BYTES;
    }
  }

  private void finish(PayloadCompressor by) throws IOException {
    by.finish();
    drain(by);
    if (by.equals(zstd)) {
      INT.set(scratch, 0, inputBytes);
      passPlain(scratch, 0, Integer.BYTES);
    }
  }

  private void drain(PayloadCompressor from) throws IOException {
    do {
      ByteBuf segment = segment(1);
      int count = from.compress(segment.nioBuffer(segment.writerIndex(), segment.writableBytes()));
      checkLimit(count);
      segment.writerIndex(segment.writerIndex() + count);
      spilled += count;
    } while (!from.isDone());
  }

  /** Returns the last segment, or a new one if that is full. */
  private ByteBuf segment(int wanted) {
    if (!segments.isEmpty()) {
      ByteBuf last = segments.getLast();
      if (last.isWritable()) {
        return last;
      }
    }
    int size = Math.max(INITIAL_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, wanted));
    ByteBuf fresh = allocator.directBuffer(size, size);
    segments.add(fresh);
    return fresh;
  }

  private void checkLimit(int more) throws IOException {
    if (more > maxFrameBytes - spilled) {
      throw new IOException(
          "request over the limit: got more than "
              + spilled
              + " + "
              + more
              + " bytes (expected: at most "
              + maxFrameBytes
              + ")");
    }
  }
}
