package dev.weir.bluegreen.shadow;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/** Decodes the content coding of responses. */
final class ResponseDecoder {
  private ResponseDecoder() {}

  /**
   * Decodes a response. A response that can't be decoded stays encoded, and then is not valid JSON.
   *
   * @param most the limit of the decoded bytes; a longer response loses its body
   */
  static CapturedResponse decode(CapturedResponse answer, int most) {
    byte[] body = answer.body();
    if (body == null || body.length == 0 || answer.coding().isEmpty()) {
      return answer;
    }
    try (InputStream decoded = openStream(answer.coding(), body)) {
      if (decoded == null) {
        return answer;
      }
      byte[] plain = decoded.readNBytes(most);
      boolean whole = plain.length < most || decoded.read() < 0;
      return new CapturedResponse(
          answer.status(), answer.contentType(), "", whole ? plain : null, answer.nanos());
    } catch (IOException broken) {
      return answer;
    }
  }

  private static @Nullable InputStream openStream(String coding, byte[] body) throws IOException {
    InputStream coded = new ByteArrayInputStream(body);
    return switch (coding.toLowerCase(Locale.ROOT)) {
      case "gzip", "x-gzip" -> new GZIPInputStream(coded);
      case "deflate", "x-deflate" -> new InflaterInputStream(coded);
      default -> null;
    };
  }
}
