package dev.weir.http.response;

import dev.weir.http.options.HttpCompression;
import io.netty.handler.codec.compression.SnappyFrameEncoder;
import io.netty.handler.codec.compression.Zstd;
import org.jspecify.annotations.Nullable;

/** A content coding that responses may have. */
public enum ContentCoding {
  GZIP("gzip"),
  DEFLATE("deflate"),
  SNAPPY("snappy"),
  ZSTD("zstd");

  private final String token;

  ContentCoding(String token) {
    this.token = token;
  }

  /** Returns the coding's name in Content-Encoding. */
  String token() {
    return token;
  }

  BodyEncoder newEncoder(HttpCompression options) {
    return switch (this) {
      case GZIP -> ZlibBodyEncoder.gzip(options.level());
      case DEFLATE -> ZlibBodyEncoder.zlib(options.level());
      case SNAPPY -> new NettyBodyEncoder(new SnappyFrameEncoder());
      case ZSTD -> new ZstdBodyEncoder(options.zstdLevel());
    };
  }

  /**
   * Chooses the coding as a node does, that is as Netty's {@code HttpContentCompressor}, which is
   * lenient: it looks for names anywhere in a token. The exception is zstd, which a node does not
   * support: it is never chosen for {@code *}.
   *
   * @param accepted the Accept-Encoding header's value; several joined by commas
   * @return null for none
   */
  public static @Nullable ContentCoding choose(String accepted, HttpCompression options) {
    if (!options.enabled()) {
      return null;
    }
    float any = -1;
    float brotli = -1;
    float zstd = -1;
    float snappy = -1;
    float gzip = -1;
    float deflate = -1;
    int length = accepted.length();
    for (int start = 0; start < length; ) {
      int comma = accepted.indexOf(',', start);
      int end = comma < 0 ? length : comma;
      String token = accepted.substring(start, end);
      float q = weight(token);
      if (token.indexOf('*') >= 0) {
        any = q;
      } else if (token.contains("br") && q > brotli) {
        brotli = q;
      } else if (token.contains("zstd") && q > zstd) {
        zstd = q;
      } else if (token.contains("snappy") && q > snappy) {
        snappy = q;
      } else if (token.contains("gzip") && q > gzip) {
        gzip = q;
      } else if (token.contains("deflate") && q > deflate) {
        deflate = q;
      }
      start = end + 1;
    }
    if (zstd > 0 && zstd >= snappy && zstd >= gzip && options.zstd() && Zstd.isAvailable()) {
      return ZSTD;
    }
    if (brotli > 0 || zstd > 0 || snappy > 0 || gzip > 0 || deflate > 0) {
      if (snappy >= 0 && snappy >= gzip) {
        return SNAPPY;
      }
      if (gzip >= 0 && gzip >= deflate) {
        return GZIP;
      }
      if (deflate >= 0) {
        return DEFLATE;
      }
    }
    if (any > 0) {
      return snappy < 0 ? SNAPPY : gzip < 0 ? GZIP : deflate < 0 ? DEFLATE : null;
    }
    return null;
  }

  private static float weight(String token) {
    int equals = token.indexOf('=');
    if (equals < 0) {
      return 1;
    }
    try {
      return Float.parseFloat(token.substring(equals + 1));
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
