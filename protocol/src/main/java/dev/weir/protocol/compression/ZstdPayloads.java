package dev.weir.protocol.compression;

import com.github.luben.zstd.ZstdDecompressCtx;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Decompresses responses. Confined to its event loop. */
public final class ZstdPayloads implements AutoCloseable {
  /** The response header with the size of the payload before it was compressed, in bytes. */
  public static final String HEADER = "weir-zstd";

  /** What a request's payload begins with; no other payload does. */
  public static final int MARKER = -1;

  /** Payloads of requests below this size, in bytes, are not compressed. */
  public static final int MIN_REQUEST_BYTES = 1024;

  /** So many first bytes of a response stay as they are. */
  public static final int PLAIN_BYTES = 1024;

  private static final int MAX_SIZE_DIGITS = 10;

  private @Nullable ZstdDecompressCtx zstd;

  /** Allocates nothing before it is used. */
  public ZstdPayloads() {}

  /**
   * Reads the value of the header.
   *
   * @throws IOException if it is no size that a compressed response may have
   */
  public static int parseSize(String value) throws IOException {
    long size = -1;
    if (value.length() <= MAX_SIZE_DIGITS && value.chars().allMatch(c -> c >= '0' && c <= '9')) {
      size = value.isEmpty() ? -1 : Long.parseLong(value);
    }
    if (size <= PLAIN_BYTES || size > Integer.MAX_VALUE) {
      throw new IOException(
          "got a compressed answer of [" + value + "] bytes (expected: over " + PLAIN_BYTES + ")");
    }
    return (int) size;
  }

  /**
   * Decompresses a response.
   *
   * @param in the compressed payload, in an array; its indices do not change
   * @param out gets the payload; empty, in an array, with the capacity that the header says
   * @throws IOException if the payload is broken or has another size
   */
  public void decompress(ByteBuf in, ByteBuf out) throws IOException {
    int compressed = in.readableBytes() - PLAIN_BYTES;
    if (compressed <= 0) {
      throw new IOException("got a compressed answer that ends early (expected: all of it)");
    }
    int size = out.capacity();
    in.getBytes(in.readerIndex(), out, PLAIN_BYTES);
    int read;
    try {
      read =
          context()
              .decompressByteArray(
                  out.array(),
                  out.arrayOffset() + PLAIN_BYTES,
                  size - PLAIN_BYTES,
                  in.array(),
                  in.arrayOffset() + in.readerIndex() + PLAIN_BYTES,
                  compressed);
    } catch (RuntimeException broken) { // zstd-jni has unchecked exceptions
      throw new IOException("got a broken compressed answer (expected: zstd)", broken);
    }
    if (read != size - PLAIN_BYTES) {
      throw new IOException(
          "got a compressed answer of " + (read + PLAIN_BYTES) + " bytes (expected: " + size + ")");
    }
    out.writerIndex(size);
  }

  private ZstdDecompressCtx context() {
    ZstdDecompressCtx known = zstd;
    if (known == null) {
      known = new ZstdDecompressCtx();
      zstd = known;
    }
    return known;
  }

  /** Frees the memory outside of the heap. */
  @Override
  public void close() {
    if (zstd != null) {
      zstd.close();
      zstd = null;
    }
  }
}
