package dev.weir.rest.bulk;

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
 * escapes. Either may be {@code null}, as may {@code routing}: that means the default. It creates
 * the same requests as OpenSearch's {@code BulkRequestParser}, which starts a JSON parser for every
 * action line, in a sixth of the time. At any other input it gives up, and that parser reads the
 * whole body. Used once, by one thread.
 *
 * <p>The documents stay {@link BulkLines} if all of them fit, and become requests otherwise.
 */
public final class FastBulkParser {
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

  /**
   * What was read.
   *
   * @param lines the documents; null where they are requests
   * @param requests the documents as requests; empty if they are lines
   */
  record Documents(@Nullable BulkLines lines, List<IndexRequest> requests) {}

  /** Fewer documents become requests. */
  private static final int MIN_LINES = 16;

  private static final int NO_ID = -1;

  private static final byte[] NAMED_INDEX = BulkLineScanner.toAscii("\"_index\"");
  private static final byte[] NAMED_ID = BulkLineScanner.toAscii("\"_id\"");
  private static final byte[] NAMED_ROUTING = BulkLineScanner.toAscii("\"routing\"");
  private static final byte[] NULL = BulkLineScanner.toAscii("null");

  /**
   * The bytes of an item in addition to its source: its request, its response, and the response as
   * JSON.
   */
  public static final long ITEM_BYTES = 800;

  private static final int ITEMS_PER_RESERVATION = 256;

  /** Returns the memory that is reserved for a number of items, in bytes. */
  public static long bytesFor(int items) {
    return ITEMS_PER_RESERVATION * ITEM_BYTES * Math.ceilDiv(items, ITEMS_PER_RESERVATION);
  }

  private final LongConsumer memoryReserver;
  private final BulkLineScanner line = new BulkLineScanner();
  private final ItemDefaults defaults;
  private final DocumentTemplates templates = new DocumentTemplates();
  private final List<IndexRequest> requests = new ArrayList<>(0);
  private @Nullable BulkLines lines;
  private int items;
  private @Nullable String itemIndex;
  private int idFrom;
  private int idTo;
  private @Nullable String lastIndex;

  private FastBulkParser(BytesArray body, ItemDefaults defaults, LongConsumer reserver) {
    this.memoryReserver = reserver;
    this.line.reset(body.array(), body.offset(), body.offset() + body.length());
    this.defaults = defaults;
  }

  /**
   * Parses a body; returns null if it is no ordinary one.
   *
   * @param reserver reserves the items' memory while they are parsed; throws if the limit is
   *     reached
   */
  static @Nullable Documents read(BytesArray body, ItemDefaults defaults, LongConsumer reserver) {
    return new FastBulkParser(body, defaults, reserver).read();
  }

  private @Nullable Documents read() {
    while (!line.isAtEnd()) {
      itemIndex = defaults.index;
      idFrom = NO_ID;
      idTo = NO_ID;
      BulkLineScanner.Action action = line.readAction();
      boolean create = action == BulkLineScanner.Action.CREATE;
      if ((!create && action != BulkLineScanner.Action.INDEX) || !readRestOfAction()) {
        return null;
      }
      int from = line.position();
      int to = line.skipLine();
      if (to < 0) {
        return null;
      }
      int length = to - from - (to > from && line.bytes()[to - 1] == '\r' ? 1 : 0);
      if (items % ITEMS_PER_RESERVATION == 0) {
        memoryReserver.accept(ITEMS_PER_RESERVATION * ITEM_BYTES);
      }
      add(create, from, length);
      items++;
    }
    if (items < MIN_LINES) {
      createRequests();
    }
    return items == 0 ? null : new Documents(lines, requests);
  }

  /** Adds a document as a line if it can be one, else as a request, like those before it. */
  private void add(boolean create, int from, int length) {
    String index = itemIndex;
    if (index != null && canBeLine(index, length)) {
      BulkLines known = lines;
      if (items == 0) {
        known =
            new BulkLines(
                line.bytes(), new BulkLines.Traits(index, create, idFrom != NO_ID), templates);
        lines = known;
      }
      if (known != null && known.fits(index, create, idFrom != NO_ID)) {
        known.add(idFrom, idTo - idFrom, from, length);
        return;
      }
    }
    createRequests();
    String id =
        idFrom == NO_ID
            ? null
            : new String(line.bytes(), idFrom, idTo - idFrom, StandardCharsets.ISO_8859_1);
    IndexRequest request = new BulkDocument(itemIndex, templates).id(id);
    if (create) {
      request.create(true);
    }
    requests.add(
        request
            .routing(defaults.routing())
            .setPipeline(defaults.pipeline())
            .source(new BytesArray(line.bytes(), from, length), XContentType.JSON)
            .setRequireAlias(defaults.requireAlias()));
  }

  /** Returns whether a document is valid, and has no options. */
  private boolean canBeLine(String index, int length) {
    return length > 0
        && !index.isEmpty()
        && (idFrom == NO_ID || (idTo > idFrom && idTo - idFrom <= BulkLines.MAX_ID_BYTES))
        && defaults.routing() == null
        && defaults.pipeline() == null
        && !defaults.requireAlias();
  }

  private void createRequests() {
    BulkLines before = lines;
    lines = null;
    for (int i = 0; before != null && i < before.size(); i++) {
      requests.add(before.toRequest(i));
    }
  }

  /** Reads an action line from the action's name on, with its newline; false if it is unusual. */
  private boolean readRestOfAction() {
    return line.tryConsume(':')
        && line.tryConsume('{')
        && readFields()
        && line.tryConsume('}')
        && line.tryConsume('}')
        && line.tryConsume('\n');
  }

  /** Reads the fields of an action up to the closing brace. */
  private boolean readFields() {
    boolean indexNamed = false;
    boolean idNamed = false;
    boolean routingNamed = false;
    while (true) {
      if (!indexNamed && line.tryConsume(NAMED_INDEX)) {
        indexNamed = true;
        if (!defaults.allowExplicitIndex || !line.tryConsume(':')) {
          return false;
        }
        if (!line.tryConsume(NULL)) {
          itemIndex = resolveIndexName();
          if (itemIndex == null) {
            return false;
          }
        }
      } else if (!idNamed && line.tryConsume(NAMED_ID)) {
        idNamed = true;
        if (!line.tryConsume(':')) {
          return false;
        }
        if (!line.tryConsume(NULL) && !readId()) {
          return false;
        }
      } else if (!routingNamed && line.tryConsume(NAMED_ROUTING)) {
        routingNamed = true;
        if (!line.tryConsume(':') || !line.tryConsume(NULL)) {
          return false;
        }
      } else {
        return !indexNamed && !idNamed && !routingNamed; // empty or an unknown field
      }
      if (!line.tryConsume(',')) {
        return true;
      }
    }
  }

  /** Reads an index name; returns the same object for the same name as the last one. */
  private @Nullable String resolveIndexName() {
    if (!line.tryConsume('"')) {
      return null;
    }
    if (lastIndex == null || !line.tryConsumeUpToQuote(lastIndex)) {
      lastIndex = line.readUpToQuote();
    }
    return lastIndex;
  }

  /** Reads a plain string; returns false for any other value. */
  private boolean readId() {
    if (!line.tryConsume('"')) {
      return false;
    }
    idFrom = line.position();
    if (!line.skipUpToQuote()) {
      return false;
    }
    idTo = line.position() - 1;
    return true;
  }
}
