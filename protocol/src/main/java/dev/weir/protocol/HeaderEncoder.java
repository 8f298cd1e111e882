package dev.weir.protocol;

import java.io.IOException;
import java.util.Map;
import org.apache.lucene.util.BytesRef;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * Writes the request headers of calls, as {@code ThreadContext} writes them: a count, then names
 * and values. The calls of one request have the same map, and follow each other: its bytes are
 * encoded once. Used by one thread.
 */
public final class HeaderEncoder {
  /** Longer headers are encoded for each call: what is kept stays until the next request. */
  private static final int MAX_KEPT_BYTES = 8 << 10;

  private Map<String, String> last = Map.of();
  private BytesRef encoded = new BytesRef();

  /**
   * Writes headers.
   *
   * @param headers never changes
   */
  @SuppressWarnings("ReferenceEquality") // the same map, so that no text is compared
  public void write(Map<String, String> headers, StreamOutput out) throws IOException {
    if (headers.isEmpty()) {
      out.writeVInt(0);
      return;
    }
    if (headers != last) {
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

  private static BytesReference encode(Map<String, String> headers) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    out.writeVInt(headers.size());
    for (Map.Entry<String, String> header : headers.entrySet()) {
      out.writeString(header.getKey());
      out.writeString(header.getValue());
    }
    return out.bytes();
  }
}
