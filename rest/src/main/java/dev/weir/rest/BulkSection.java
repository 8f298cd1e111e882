package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory.Category;
import dev.weir.model.RoutingDecisions;
import dev.weir.model.SectionedBody;
import dev.weir.rest.bulk.BulkRequestReader;
import dev.weir.rest.bulk.FastBulkParser;
import dev.weir.rest.bulk.LineBulkRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.core.common.bytes.BytesArray;

/**
 * One section of a streaming bulk: its bytes, its items, and their memory, which it releases once.
 * Confined to the request's event loop.
 */
final class BulkSection {
  private final SectionedBody.Section body;
  private final WriteMemoryAccount memory;
  private final int sectionNumber;
  private final Set<String> ids = new HashSet<>(0);
  private BulkRequest bulk = new BulkRequest();
  private @Nullable RequestContext context;
  private long reservedBytes;
  private boolean parsed;
  private boolean ended;

  /**
   * Creates a section that is not parsed yet.
   *
   * @param whole the memory account of the whole bulk
   * @param body owned by the section
   * @param number the section's number, from 0
   */
  BulkSection(WriteMemoryAccount whole, SectionedBody.Section body, int number) {
    this.memory = whole.createPart();
    this.body = body;
    this.sectionNumber = number;
  }

  /**
   * Reserves memory for the items.
   *
   * @param mayWait the caller can wait after a rejection, so that the rejection is not counted
   * @return null after a successful reservation
   */
  @Nullable MemoryRejection reserveMemory(boolean mayWait) {
    long bytes = FastBulkParser.bytesFor(body.items());
    MemoryRejection rejection =
        mayWait
            ? memory.tryReserve(Category.PARSED_BODY, bytes)
            : memory.reserve(Category.PARSED_BODY, bytes);
    if (rejection == null) {
      reservedBytes = bytes;
    }
    return rejection;
  }

  /** Returns true if memory for the items is reserved, or if there are no items. */
  boolean isMemoryReserved() {
    return reservedBytes > 0 || body.items() == 0;
  }

  /** Parses the items, unless they are already parsed. Their memory must be reserved. */
  void parse(BulkRequestReader reading) throws IOException {
    if (parsed) {
      return;
    }
    bulk = reparse(reading);
    parsed = true;
    if (bulk.numberOfActions() != body.items()) {
      throw new IllegalStateException(
          "got "
              + bulk.numberOfActions()
              + " items of a section (expected: "
              + body.items()
              + ", as it was cut)");
    }
    LineBulkRequest.forEachId(bulk, ids::add);
  }

  /** Parses the items again, without the changes made to those of the first parse. */
  BulkRequest reparse(BulkRequestReader reading) throws IOException {
    return reading.read(bytes(), alreadyPaid -> {});
  }

  private BytesArray bytes() {
    ByteBuffer bytes = body.bytes();
    return new BytesArray(bytes.array(), bytes.arrayOffset(), bytes.remaining());
  }

  /** Returns the section's number, from 0. */
  int sectionNumber() {
    return sectionNumber;
  }

  /** Returns the number of complete items. */
  int items() {
    return body.items();
  }

  /** Returns the parsed items. */
  BulkRequest bulk() {
    return bulk;
  }

  int lines() {
    return body.lines();
  }

  /**
   * Returns true if two items of both sections may write the same document: their order then
   * matters.
   */
  boolean sharesDocumentsWith(BulkSection other) {
    return !Collections.disjoint(ids, other.ids);
  }

  /** Creates a new context for one execution, as a part of the whole bulk's context. */
  RequestContext start(RequestContext whole) {
    if (context != null) {
      context.end();
    }
    RequestContext own = whole.newSubContext();
    own.resources().setMemory(memory);
    if (whole.search().isExplanationRequested()) {
      own.search().requestExplanation();
    }
    context = own;
    return own;
  }

  /**
   * Copies the section's response headers and routing decisions to the bulk's, except the header of
   * truncated items: its item numbers are those of the section.
   */
  void copyResponseMetadataTo(RequestContext whole) {
    RequestContext own = context;
    if (own == null) {
      return;
    }
    Map<String, Set<String>> headers = new LinkedHashMap<>(own.response().headers());
    headers.remove(RequestContext.TRUNCATED_HEADER);
    whole.response().addHeaders(headers);
    RoutingDecisions notes = own.search().routingDecisions();
    if (notes != null && whole.search().routingDecisions() == null) {
      whole.search().setRoutingDecisions(notes);
    }
  }

  void cancel(String reason) {
    if (context != null) {
      context.cancel(reason);
    }
  }

  /**
   * Ends the section after its response; its memory is released unless an execution was cancelled.
   */
  void complete() {
    end(
        context != null
            && (context.cancelReason() != null || context.resources().isBodyRetained()));
  }

  /**
   * Ends the section without a response; a node request may still read its bytes. Does nothing
   * after the end.
   */
  void abandon() {
    end(true);
  }

  private void end(boolean read) {
    if (ended) {
      return;
    }
    ended = true;
    if (context != null) {
      context.end();
    }
    memory.release(Category.PARSED_BODY, reservedBytes);
    reservedBytes = 0;
    if (read) {
      body.leaveToGarbageCollector();
    } else {
      body.release();
    }
  }
}
