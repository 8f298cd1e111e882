package dev.weir.protocol;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.apache.lucene.util.BytesRef;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * Writes the request headers of calls, as {@code ThreadContext} writes them: a count, then names
 * and values. The calls of one request have the same headers, and those of one client mostly too:
 * while they follow each other, the bytes are encoded once. Used by one thread.
 */
public final class HeaderEncoder {
  /** Longer headers are encoded for each call: what is kept stays until the next request. */
  private static final int MAX_KEPT_BYTES = 8 << 10;

  private static final byte[] NONE = {};

  private Map<String, String> last = Map.of();
  private BytesRef encoded = new BytesRef();

  /**
   * Writes headers.
   *
   * @param headers never changes
   */
  public void write(Map<String, String> headers, StreamOutput out) throws IOException {
    write(headers, NONE, out);
  }

  /**
   * Writes headers, and one more.
   *
   * @param headers never changes
   * @param further a name and a value as they are written; empty for none
   */
  void write(Map<String, String> headers, byte[] further, StreamOutput out) throws IOException {
    out.writeVInt(headers.size() + (further.length == 0 ? 0 : 1));
    out.writeBytes(further, 0, further.length);
    if (headers.isEmpty()) {
      return;
    }
    if (!headers.equals(last)) {
      BytesReference bytes = encode(headers);
      if (bytes.length() > MAX_KEPT_BYTES) {
        bytes.writeTo(out);
        return;
      }
      encoded = BytesRef.deepCopyOf(bytes.toBytesRef());
      last = headers;
    }
    out.writeBytes(encoded.bytes, encoded.offset, encoded.length);
  }

  /** Returns strings as they are written. */
  static byte[] encode(String... strings) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      for (String string : strings) {
        out.writeString(string);
      }
      return BytesReference.toBytes(out.bytes());
    } catch (IOException impossible) { // in memory
      throw new UncheckedIOException(impossible);
    }
  }

  private static BytesReference encode(Map<String, String> headers) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    for (Map.Entry<String, String> header : headers.entrySet()) {
      out.writeString(header.getKey());
      out.writeString(header.getValue());
    }
    return out.bytes();
  }
}
