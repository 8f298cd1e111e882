package dev.weir.rest;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;

/**
 * Parses the bodies of ordinary bulks: each action line is {@code {"index":{..}}} or {@code
 * {"create":{..}}} with at most {@code _index} and {@code _id}, as plain ASCII strings without
 * escapes. It creates the same requests as OpenSearch's {@code BulkRequestParser}, which starts a
 * JSON parser for every action line, in a sixth of the time. At any other input it gives up, and
 * that parser reads the whole body. Used once, by one thread.
 */
final class FastBulkParser {
  /**
   * The defaults of items.
   *
   * @param index the index in the request's path
   * @param allowExplicitIndex items may name their own index
   */
  record ItemDefaults(
      @Nullable String index,
      @Nullable String routing,
      @Nullable String pipeline,
      boolean requireAlias,
      boolean allowExplicitIndex) {}

  private static final byte[] INDEX = ascii("\"index\"");
  private static final byte[] CREATE = ascii("\"create\"");
  private static final byte[] NAMED_INDEX = ascii("\"_index\"");
  private static final byte[] NAMED_ID = ascii("\"_id\"");

  /**
   * The bytes of an item in addition to its source: its request, its response, and the response as
   * JSON.
   */
  static final long ITEM_BYTES = 800;

  private static final int ITEMS_PER_RESERVATION = 256;

  /** Returns the memory that is reserved for a number of items, in bytes. */
  static long bytesFor(int items) {
    return ITEMS_PER_RESERVATION * ITEM_BYTES * Math.ceilDiv(items, ITEMS_PER_RESERVATION);
  }

  private final LongConsumer memoryReserver;
  private final byte[] bytes;
  private final int end;
  private final ItemDefaults defaults;
  private int position;
  private @Nullable String itemIndex;
  private @Nullable String itemId;
  private @Nullable String lastIndex;

  private FastBulkParser(BytesArray body, ItemDefaults defaults, LongConsumer reserver) {
    this.memoryReserver = reserver;
    this.bytes = body.array();
    this.position = body.offset();
    this.end = body.offset() + body.length();
    this.defaults = defaults;
  }

  /**
   * Parses a body; returns null if it is no ordinary one.
   *
   * @param reserver reserves the items' memory while they are parsed; throws if the limit is
   *     reached
   */
  static @Nullable List<IndexRequest> read(
      BytesArray body, ItemDefaults defaults, LongConsumer reserver) {
    return new FastBulkParser(body, defaults, reserver).read();
  }

  private @Nullable List<IndexRequest> read() {
    List<IndexRequest> requests = new ArrayList<>();
    while (position < end) {
      itemIndex = defaults.index;
      itemId = null;
      int create = readAction();
      if (create < 0) {
        return null;
      }
      int from = position;
      int to = NewlineScanner.indexOf(bytes, from, end);
      if (to < 0) {
        return null;
      }
      position = to + 1;
      int length = to - from - (to > from && bytes[to - 1] == '\r' ? 1 : 0);
      IndexRequest request = new IndexRequest(itemIndex).id(itemId);
      if (create > 0) {
        request.create(true);
      }
      if (requests.size() % ITEMS_PER_RESERVATION == 0) {
        memoryReserver.accept(ITEMS_PER_RESERVATION * ITEM_BYTES);
      }
      requests.add(
          request
              .routing(defaults.routing)
              .setPipeline(defaults.pipeline)
              .source(new BytesArray(bytes, from, length), XContentType.JSON)
              .setRequireAlias(defaults.requireAlias));
    }
    return requests.isEmpty() ? null : requests;
  }

  /**
   * Reads an action line with its newline: 1 for a create, 0 for an index, -1 for any other line.
   */
  private int readAction() {
    if (!tryConsume('{')) {
      return -1;
    }
    int create;
    if (tryConsume(INDEX)) {
      create = 0;
    } else if (tryConsume(CREATE)) {
      create = 1;
    } else {
      return -1;
    }
    boolean ordinary =
        tryConsume(':') && tryConsume('{') && readFields() && tryConsume('}') && tryConsume('}');
    skipBlanks();
    if (ordinary && position < end && bytes[position] == '\r') {
      position++;
    }
    return ordinary && position < end && bytes[position++] == '\n' ? create : -1;
  }

  /** Reads the fields of an action up to the closing brace. */
  private boolean readFields() {
    boolean indexNamed = false;
    boolean idNamed = false;
    while (true) {
      if (!indexNamed && tryConsume(NAMED_INDEX)) {
        indexNamed = true;
        if (!defaults.allowExplicitIndex || !tryConsume(':')) {
          return false;
        }
        itemIndex = resolveIndexName();
        if (itemIndex == null) {
          return false;
        }
      } else if (!idNamed && tryConsume(NAMED_ID)) {
        idNamed = true;
        if (!tryConsume(':')) {
          return false;
        }
        itemId = readString();
        if (itemId == null) {
          return false;
        }
      } else {
        return !indexNamed && !idNamed; // empty or an unknown field
      }
      skipBlanks();
      if (position >= end || bytes[position] != ',') {
        return true;
      }
      position++;
    }
  }

  private @Nullable String resolveIndexName() {
    String last = lastIndex;
    if (last != null) {
      int before = position;
      if (tryConsume('"') && isNext(last) && bytes[position + last.length()] == '"') {
        position += last.length() + 1;
        return last;
      }
      position = before;
    }
    lastIndex = readString();
    return lastIndex;
  }

  private boolean isNext(String text) {
    if (end - position <= text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (bytes[position + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Reads a plain string; returns null for any other value. */
  private @Nullable String readString() {
    if (!tryConsume('"')) {
      return null;
    }
    int from = position;
    while (position < end) {
      byte b = bytes[position];
      if (b == '"') {
        return new String(bytes, from, position++ - from, StandardCharsets.ISO_8859_1);
      }
      if (b < ' ' || b == '\\') { // a control character, an escape, or not ASCII
        return null;
      }
      position++;
    }
    return null;
  }

  private boolean tryConsume(char c) {
    skipBlanks();
    if (position < end && bytes[position] == c) {
      position++;
      return true;
    }
    return false;
  }

  private boolean tryConsume(byte[] word) {
    skipBlanks();
    if (end - position < word.length) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (bytes[position + i] != word[i]) {
        return false;
      }
    }
    position += word.length;
    return true;
  }

  private void skipBlanks() {
    while (position < end && (bytes[position] == ' ' || bytes[position] == '\t')) {
      position++;
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
