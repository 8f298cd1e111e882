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
final class BulkLines {
  /**
   * What holds for items that do not say otherwise.
   *
   * @param index the index of the path
   * @param allowExplicitIndex whether items may name their own
   */
  record Defaults(
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

  private static final int PAID_AT_ONCE = 256;

  /** What so many items take, as they are paid for. */
  static long price(int items) {
    return PAID_AT_ONCE * ITEM_BYTES * Math.ceilDiv(items, PAID_AT_ONCE);
  }

  private final LongConsumer payer;
  private final byte[] bytes;
  private final int end;
  private final Defaults defaults;
  private int at;
  private @Nullable String itemIndex;
  private @Nullable String itemId;
  private @Nullable String lastIndex;

  private BulkLines(BytesArray body, Defaults defaults, LongConsumer payer) {
    this.payer = payer;
    this.bytes = body.array();
    this.at = body.offset();
    this.end = body.offset() + body.length();
    this.defaults = defaults;
  }

  /**
   * The requests of a body, or null when it is not an ordinary one.
   *
   * @param payer is told the bytes that items take, before there are many more; throws when there
   *     is no room
   */
  static @Nullable List<IndexRequest> read(BytesArray body, Defaults defaults, LongConsumer payer) {
    return new BulkLines(body, defaults, payer).read();
  }

  private @Nullable List<IndexRequest> read() {
    List<IndexRequest> requests = new ArrayList<>();
    while (at < end) {
      itemIndex = defaults.index;
      itemId = null;
      int create = action();
      if (create < 0) {
        return null;
      }
      int from = at;
      int to = Newlines.next(bytes, from, end);
      if (to < 0) {
        return null;
      }
      at = to + 1;
      int length = to - from - (to > from && bytes[to - 1] == '\r' ? 1 : 0);
      IndexRequest request = new IndexRequest(itemIndex).id(itemId);
      if (create > 0) {
        request.create(true);
      }
      if (requests.size() % PAID_AT_ONCE == 0) {
        payer.accept(PAID_AT_ONCE * ITEM_BYTES);
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
  private int action() {
    if (!take('{')) {
      return -1;
    }
    int create;
    if (take(INDEX)) {
      create = 0;
    } else if (take(CREATE)) {
      create = 1;
    } else {
      return -1;
    }
    boolean ordinary = take(':') && take('{') && fields() && take('}') && take('}');
    blanks();
    if (ordinary && at < end && bytes[at] == '\r') {
      at++;
    }
    return ordinary && at < end && bytes[at++] == '\n' ? create : -1;
  }

  /** Reads the fields of an action up to the closing brace. */
  private boolean fields() {
    boolean indexNamed = false;
    boolean idNamed = false;
    while (true) {
      if (!indexNamed && take(NAMED_INDEX)) {
        indexNamed = true;
        if (!defaults.allowExplicitIndex || !take(':')) {
          return false;
        }
        itemIndex = indexName();
        if (itemIndex == null) {
          return false;
        }
      } else if (!idNamed && take(NAMED_ID)) {
        idNamed = true;
        if (!take(':')) {
          return false;
        }
        itemId = string();
        if (itemId == null) {
          return false;
        }
      } else {
        return !indexNamed && !idNamed; // nothing, or something else
      }
      blanks();
      if (at >= end || bytes[at] != ',') {
        return true;
      }
      at++;
    }
  }

  private @Nullable String indexName() {
    String last = lastIndex;
    if (last != null) {
      int before = at;
      if (take('"') && isNext(last) && bytes[at + last.length()] == '"') {
        at += last.length() + 1;
        return last;
      }
      at = before;
    }
    lastIndex = string();
    return lastIndex;
  }

  private boolean isNext(String text) {
    if (end - at <= text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (bytes[at + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Reads a plain string; null when it is not one. */
  private @Nullable String string() {
    if (!take('"')) {
      return null;
    }
    int from = at;
    while (at < end) {
      byte b = bytes[at];
      if (b == '"') {
        return new String(bytes, from, at++ - from, StandardCharsets.ISO_8859_1);
      }
      if (b < ' ' || b == '\\') { // control, escape, or not ASCII
        return null;
      }
      at++;
    }
    return null;
  }

  private boolean take(char c) {
    blanks();
    if (at < end && bytes[at] == c) {
      at++;
      return true;
    }
    return false;
  }

  private boolean take(byte[] word) {
    blanks();
    if (end - at < word.length) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (bytes[at + i] != word[i]) {
        return false;
      }
    }
    at += word.length;
    return true;
  }

  private void blanks() {
    while (at < end && (bytes[at] == ' ' || bytes[at] == '\t')) {
      at++;
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
