package dev.weir.rest.estimate;

import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.core.xcontent.MediaTypeRegistry;

/**
 * What the parsed body of a request takes, estimated from its bytes before it is parsed.
 *
 * <p>The weights are upper bounds of measurements with OpenSearch's own parsers ({@code
 * ParsedBodyEstimateTest} repeats them), on heaps with compact object headers: a clause of a {@code
 * bool} takes 20 to 140 bytes, its rewritten copy as much again; an aggregation 460 to 600; an id
 * of a multi-get 92, and with its place in a shard's request and its response 280; a search of a
 * multi-search 270, and with its response about 1000; a long string three times its bytes. Half of
 * the bytes of a document or a search is meant for the written response: a failure has about 300.
 *
 * @param heapBytes of the parsed request and of what the gateway makes of each item
 * @param items of a multi-get or multi-search; 0 for other requests
 */
public record ParsedBodyEstimate(long heapBytes, long items) {
  private static final int BYTES_PER_BYTE = 5;
  private static final int BYTES_PER_VALUE = 128;
  private static final int BYTES_PER_DOCUMENT = 640;
  private static final int BYTES_PER_SEARCH = 1024;

  /** A node keeps an exception with its stack trace for each item that fails. */
  private static final int BYTES_PER_FAILURE_ON_NODE = 3 << 10;

  /** In binary formats and YAML, where a value may take one or two bytes of the body. */
  private static final int BYTES_PER_OPAQUE_BYTE = 64;

  private static final int ITEM_BYTES_PER_OPAQUE_BYTE = 320;

  /** The bytes by which a parser detects the encoding of JSON. */
  private static final int ENCODING_MARK_BYTES = 4;

  /** FE and FF begin the byte order marks of UTF-16 and UTF-32; UTF-8 has neither. */
  private static final int FIRST_BYTE_ORDER_MARK = 0xfe;

  /** Returns what a node takes for the body once it is parsed, if each of its items fails. */
  public long nodeHeapBytes() {
    return heapBytes + BYTES_PER_FAILURE_ON_NODE * items;
  }

  /** Estimates a body; {@code action} is the name of its kind, such as {@code msearch}. */
  public static ParsedBodyEstimate of(
      String action, @Nullable MediaType type, BytesReference body) {
    boolean multiGet = action.equals("mget");
    boolean multiSearch = action.equals("msearch");
    BytesRef bytes = body.toBytesRef(); // the same array: a body is in one piece
    if (!MediaTypeRegistry.JSON.equals(type) || !isUtf8(bytes)) {
      int weight = multiGet || multiSearch ? ITEM_BYTES_PER_OPAQUE_BYTE : BYTES_PER_OPAQUE_BYTE;
      return new ParsedBodyEstimate((long) body.length() * weight, 0);
    }
    JsonStructure json =
        JsonStructure.count(bytes.bytes, bytes.offset, bytes.offset + bytes.length);
    if (multiGet) {
      return new ParsedBodyEstimate(
          BYTES_PER_BYTE * json.bytes() + BYTES_PER_DOCUMENT * json.elements(), json.elements());
    }
    long heapBytes = BYTES_PER_BYTE * json.bytes() + BYTES_PER_VALUE * json.values();
    if (multiSearch) {
      long searches = (json.lines() + 1) / 2;
      return new ParsedBodyEstimate(heapBytes + BYTES_PER_SEARCH * searches, searches);
    }
    return new ParsedBodyEstimate(heapBytes, 0);
  }

  /**
   * Whether JSON is in UTF-8. OpenSearch's parser also reads UTF-16 and UTF-32, which it detects by
   * a byte order mark or by a zero among the first four bytes; structure cannot be counted in their
   * bytes.
   */
  private static boolean isUtf8(BytesRef body) {
    int end = body.offset + Math.min(body.length, ENCODING_MARK_BYTES);
    for (int at = body.offset; at < end; at++) {
      int unsigned = body.bytes[at] & 0xff;
      if (unsigned == 0 || unsigned >= FIRST_BYTE_ORDER_MARK) {
        return false;
      }
    }
    return true;
  }
}
