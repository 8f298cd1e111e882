package dev.weir.http.response;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/** Encodes gzip (RFC 1952) or zlib (RFC 1950, which HTTP calls deflate). */
final class ZlibBodyEncoder implements BodyEncoder {

  private static final byte[] GZIP_HEADER = {
    0x1f, (byte) 0x8b, Deflater.DEFLATED, 0, 0, 0, 0, 0, 0, 0
  };

  /** The least output space that the deflater gets at a time, in bytes. */
  private static final int MIN_OUTPUT_BYTES = 4 << 10;

  /** What a deflater of any level takes, outside of the heap. */
  private static final int MEMORY_BYTES = 256 << 10;

  /** Caches one gzip deflater on each event loop: it holds a quarter of a megabyte. */
  private static final FastThreadLocal<@Nullable Deflater> CACHED_DEFLATER =
      new FastThreadLocal<>();

  private final boolean gzip;
  private final Deflater deflater;
  private final CRC32 crc = new CRC32();
  private int length;
  private boolean headerWritten;
  private boolean closed;

  private ZlibBodyEncoder(boolean gzip, Deflater deflater) {
    this.gzip = gzip;
    this.deflater = deflater;
  }

  static ZlibBodyEncoder gzip(int level) {
    Deflater spare = CACHED_DEFLATER.get();
    if (spare == null) {
      return new ZlibBodyEncoder(true, new Deflater(level, true));
    }
    CACHED_DEFLATER.set(null);
    spare.setLevel(level);
    return new ZlibBodyEncoder(true, spare);
  }

  static ZlibBodyEncoder zlib(int level) {
    return new ZlibBodyEncoder(false, new Deflater(level, false));
  }

  @Override
  public void encode(ByteBuf in, ByteBuf out, boolean last) {
    if (gzip && !headerWritten) {
      headerWritten = true;
      out.writeBytes(GZIP_HEADER);
    }
    ByteBuffer input = in.nioBuffer();
    if (gzip) {
      crc.update(input.duplicate());
      length += input.remaining();
    }
    deflater.setInput(input);
    in.skipBytes(in.readableBytes());
    if (last) {
      deflater.finish();
    }
    while (last ? !deflater.finished() : !deflater.needsInput()) {
      out.ensureWritable(MIN_OUTPUT_BYTES);
      ByteBuffer room = out.internalNioBuffer(out.writerIndex(), out.writableBytes());
      int written = deflater.deflate(room);
      out.writerIndex(out.writerIndex() + written);
    }
    if (last && gzip) {
      out.writeIntLE((int) crc.getValue());
      out.writeIntLE(length);
    }
  }

  @Override
  public int memoryBytes() {
    return MEMORY_BYTES;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (gzip && CACHED_DEFLATER.get() == null) {
      deflater.reset();
      CACHED_DEFLATER.set(deflater);
    } else {
      deflater.end();
    }
  }
}
