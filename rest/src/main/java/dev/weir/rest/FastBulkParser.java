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
 * Reads the bodies of ordinary bulks: each action line {@code {"index":{..}}} or {@code
 * {"create":{..}}} with at most {@code _index} and {@code _id}, plain ASCII strings without
 * escapes. It makes the same requests as OpenSearch's {@code BulkRequestParser}, which starts a
 * JSON parser for every action line, in a sixth of the time; at anything else it gives up, and that
 * parser takes the whole body. Used once, by one thread.
 */
final class FastBulkParser {
  /**
   * What holds for items that do not say otherwise.
   *
   * @param index the index of the path
   * @param allowExplicitIndex whether items may name their own
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

  /** What an item takes besides its source: its request, its answer, and that as JSON. */
  static final long ITEM_BYTES = 800;

  private static final int ITEMS_PER_RESERVATION = 256;

  /** What so many items take, as they are paid for. */
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

  private FastBulkParser(BytesArray body, ItemDefaults defaults, LongConsumer payer) {
    this.memoryReserver = payer;
    this.bytes = body.array();
    this.position = body.offset();
    this.end = body.offset() + body.length();
    this.defaults = defaults;
  }

  /**
   * The requests of a body, or null when it is not an ordinary one.
   *
   * @param payer is charged for the bytes that items take, before there are many more; throws when
   *     there is no room
   */
  static @Nullable List<IndexRequest> read(
      BytesArray body, ItemDefaults defaults, LongConsumer payer) {
    return new FastBulkParser(body, defaults, payer).read();
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

  /** Reads an action line with its newline: 1 for a create, 0 for an index, -1 for another. */
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
        return !indexNamed && !idNamed; // nothing, or something else
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

  /** Reads a plain string; null when it is not one. */
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
      if (b < ' ' || b == '\\') { // control, escape, or not ASCII
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
