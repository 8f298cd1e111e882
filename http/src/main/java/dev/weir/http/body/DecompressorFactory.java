package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.compression.Decompressor;
import io.netty.handler.codec.compression.JdkZlibDecompressor;
import io.netty.handler.codec.compression.SnappyFrameDecompressor;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.handler.codec.compression.Zstd;
import io.netty.handler.codec.compression.ZstdDecompressor;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Locale;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Creates the decoder of a request's body by a node's rules, which are those of Netty's {@code
 * HttpContentDecompressor}: it decodes a single known coding, and leaves a body with an unknown
 * coding as it is.
 */
public final class DecompressorFactory {

  /**
   * The largest window that a zstd body may need: 8 MiB, what RFC 8878 (3.1.1.1.2) asks every
   * decoder to support. A node allows 128 MiB for each request.
   */
  private static final int MAX_ZSTD_WINDOW_LOG = 23;

  private DecompressorFactory() {}

  /**
   * Creates the decoder of a request, and changes the request's headers to describe the decoded
   * body.
   *
   * @return null when the body is not decoded
   */
  public static @Nullable Decompressor newDecompressor(
      HttpHeaders headers, ByteBufAllocator allocator) {
    String coding = headers.get(HttpHeaderNames.CONTENT_ENCODING);
    if (coding == null) {
      String transfer = headers.get(HttpHeaderNames.TRANSFER_ENCODING);
      if (transfer == null) {
        return null;
      }
      int comma = transfer.indexOf(',');
      coding = comma < 0 ? transfer : transfer.substring(0, comma);
    }
    Decompressor decoder = decompressorFor(coding.trim().toLowerCase(Locale.ROOT), allocator);
    if (decoder != null) {
      headers.remove(HttpHeaderNames.CONTENT_ENCODING);
      headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    }
    return decoder;
  }

  private static @Nullable Decompressor decompressorFor(String coding, ByteBufAllocator allocator) {
    return switch (coding) {
      case "gzip", "x-gzip" -> zlib(ZlibWrapper.GZIP, allocator);
      case "deflate", "x-deflate" -> zlib(ZlibWrapper.ZLIB_OR_NONE, allocator);
      case "snappy" -> SnappyFrameDecompressor.builder().build(allocator);
      case "zstd" ->
          Zstd.isAvailable()
              ? ZstdDecompressor.builder().maxWindowLog(MAX_ZSTD_WINDOW_LOG).build(allocator)
              : null;
      default -> null;
    };
  }

  private static Decompressor zlib(ZlibWrapper wrapper, ByteBufAllocator allocator) {
    return JdkZlibDecompressor.builder()
        .wrapper(wrapper)
        .decompressConcatenated(true)
        .build(allocator);
  }

  /**
   * Returns the next decoded chunk, owned by the caller.
   *
   * @param decoder null for a body without a coding
   * @param waiting the chunks as received; consumed ones are removed
   * @return null when the decoder needs more input
   */
  static @Nullable ByteBuf nextOutput(@Nullable Decompressor decoder, Queue<ByteBuf> waiting) {
    while (decoder != null) {
      if (decoder.status() == Decompressor.Status.NEED_OUTPUT) {
        return decoder.takeOutput();
      }
      ByteBuf input = waiting.poll();
      if (input == null) {
        return null;
      }
      if (decoder.status() == Decompressor.Status.NEED_INPUT) {
        decoder.addInput(input);
      } else {
        input.release(); // bytes after the end of the encoded body
      }
    }
    return waiting.poll();
  }
}
