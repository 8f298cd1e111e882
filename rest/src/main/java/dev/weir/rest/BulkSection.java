package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory.Category;
import dev.weir.model.RoutingDecisions;
import dev.weir.model.SectionedBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.core.common.bytes.BytesArray;

/**
 * A section of a bulk, from when it is read until it has been carried out: its bytes, its items,
 * and the memory that they take, all of which it gives back once. Confined to the request's home.
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
   * Makes a section that was not read.
   *
   * @param whole what the whole bulk holds
   * @param body owned
   * @param number from 0
   */
  BulkSection(WriteMemoryAccount whole, SectionedBody.Section body, int number) {
    this.memory = whole.createPart();
    this.body = body;
    this.sectionNumber = number;
  }

  /**
   * Pays for its items.
   *
   * @param mayWait whether a refusal ends nothing
   * @return null when they are paid for
   */
  @Nullable MemoryRejection reserveMemory(boolean mayWait) {
    long price = FastBulkParser.bytesFor(body.items());
    MemoryRejection refused =
        mayWait
            ? memory.tryReserve(Category.PARSED_BODY, price)
            : memory.reserve(Category.PARSED_BODY, price);
    if (refused == null) {
      reservedBytes = price;
    }
    return refused;
  }

  /** Whether its items are paid for, if it has any. */
  boolean isMemoryReserved() {
    return reservedBytes > 0 || body.items() == 0;
  }

  /** Reads its items, which are paid for, unless they were read. */
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
    for (DocWriteRequest<?> request : bulk.requests()) {
      if (request.id() != null) {
        ids.add(request.id());
      }
    }
  }

  /** Its items as they were sent, without changes made to those read before. */
  BulkRequest reparse(BulkRequestReader reading) throws IOException {
    return reading.read(bytes(), alreadyPaid -> {});
  }

  private BytesArray bytes() {
    ByteBuffer bytes = body.bytes();
    return new BytesArray(bytes.array(), bytes.arrayOffset(), bytes.remaining());
  }

  /** Its place among the sections, from 0. */
  int sectionNumber() {
    return sectionNumber;
  }

  /** How many items it has, as far as they are whole. */
  int items() {
    return body.items();
  }

  /** Its items, once they were read. */
  BulkRequest bulk() {
    return bulk;
  }

  int lines() {
    return body.lines();
  }

  /** Whether one document may be meant by items of both: which of them is first must not change. */
  boolean sharesDocumentsWith(BulkSection other) {
    return !Collections.disjoint(ids, other.ids);
  }

  /**
   * What accompanies it while it is carried out, each time anew: a part of what accompanies the
   * whole bulk.
   */
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
   * Tells what was said beside its answers, but for which items had values cut: their numbers are
   * the section's own.
   */
  void addTruncationWarnings(RequestContext whole) {
    RequestContext own = context;
    if (own == null) {
      return;
    }
    Map<String, Set<String>> said = new LinkedHashMap<>(own.response().headers());
    said.remove(RequestContext.TRUNCATED_HEADER);
    whole.response().addHeaders(said);
    RoutingDecisions notes = own.search().routingDecisions();
    if (notes != null && whole.search().routingDecisions() == null) {
      whole.search().setRoutingDecisions(notes);
    }
  }

  /** Stops it. */
  void cancel(String reason) {
    if (context != null) {
      context.cancel(reason);
    }
  }

  /** It has its answers; nobody reads it any more, unless it was stopped. */
  void complete() {
    end(
        context != null
            && (context.cancelReason() != null || context.resources().isBodyRetained()));
  }

  /** It has no answers; somebody may still read it. Does nothing once it is over. */
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
