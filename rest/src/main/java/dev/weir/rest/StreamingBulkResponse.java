package dev.weir.rest;

import dev.weir.model.MemoryRejection;
import dev.weir.model.RequestMemory;
import dev.weir.model.RequestMemory.Category;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.OpenSearchException;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.rest.BytesRestResponse;
import org.opensearch.rest.RestChannel;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;

/**
 * Collects the response to a streaming bulk. It keeps the responses to sections as JSON, as
 * OpenSearch writes them, until the end, because {@code took} and {@code errors} come first. If the
 * client sets no output options, these bytes become the response; otherwise they are written again.
 * Counts against the request's memory. Confined to the request's event loop.
 */
final class StreamingBulkResponse {
  /** The usual bytes of an item's response; a written document takes 200. */
  private static final long ITEM_BYTES = 256;

  private static final BytesReference COMMA = new BytesArray(",");

  private final RequestMemory memory;
  private final ToXContent.Params params;

  /** By section: its items as a JSON array; null if there are none. */
  private final List<byte @Nullable []> sections = new ArrayList<>();

  private long reservedBytes;
  private long itemCount;
  private long ingestTook = BulkResponse.NO_INGEST_TOOK;
  private boolean errors;

  StreamingBulkResponse(RequestMemory memory, ToXContent.Params params) {
    this.memory = memory;
    this.params = params;
  }

  /**
   * Reserves memory for the responses to a number of items before these are sent.
   *
   * @param mayWait the caller can wait after a rejection, so that the rejection is not counted
   * @return null after a successful reservation
   */
  @Nullable MemoryRejection reserve(int more, boolean mayWait) {
    long bytes = more * ITEM_BYTES;
    MemoryRejection rejection =
        mayWait
            ? memory.tryReserve(Category.CLIENT_RESPONSE, bytes)
            : memory.reserve(Category.CLIENT_RESPONSE, bytes);
    if (rejection == null) {
      reservedBytes += bytes;
    }
    return rejection;
  }

  /** Releases the reservation of items that are not sent for now. */
  void releaseReserved(int items) {
    memory.release(Category.CLIENT_RESPONSE, items * ITEM_BYTES);
    reservedBytes -= items * ITEM_BYTES;
  }

  /** Returns the number of items with a response. */
  long itemCount() {
    return itemCount;
  }

  /** Adds the response to a section with {@code count} items. */
  void add(int section, int count, BulkResponse response) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    try (XContentBuilder builder = new XContentBuilder(JsonXContent.jsonXContent, out)) {
      response.toXContent(builder, params);
    }
    BytesReference whole = out.bytes();
    int from = whole.indexOf((byte) '[', 0); // no bracket precedes the items
    byte[] array = BytesReference.toBytes(whole.slice(from, whole.length() - 1 - from));
    while (sections.size() <= section) {
      sections.add(null);
    }
    sections.set(section, array);
    itemCount += count;
    errors |= response.hasFailures();
    if (response.getIngestTookInMillis() != BulkResponse.NO_INGEST_TOOK) {
      ingestTook = Math.max(0, ingestTook) + response.getIngestTookInMillis();
    }
    adjustReserved(count * ITEM_BYTES, array.length);
  }

  /**
   * Adjusts the reservation to the actual size. Executed items must be reported, however long the
   * response.
   */
  private void adjustReserved(long expected, long actual) {
    if (actual > expected) {
      memory.forceReserve(Category.CLIENT_RESPONSE, actual - expected);
    } else {
      memory.release(Category.CLIENT_RESPONSE, expected - actual);
    }
    reservedBytes += actual - expected;
  }

  /** Returns the response to a completed bulk. */
  RestResponse completeResponse(RestChannel channel, long tookMillis) throws IOException {
    try (XContentBuilder builder = channel.newBuilder()) {
      builder.startObject();
      return end(channel, RestStatus.OK, builder, tookMillis);
    }
  }

  /** Returns the response to an aborted bulk. */
  RestResponse abortedResponse(RestChannel channel, BulkAbortedException why, long tookMillis)
      throws IOException {
    errors = true;
    try (XContentBuilder builder = channel.newErrorBuilder()) {
      builder.startObject();
      OpenSearchException.generateFailureXContent(
          builder, errorParams(channel.request()), why, channel.detailedErrorsEnabled());
      builder.field("status", why.status().getStatus());
      return end(channel, why.status(), builder, tookMillis);
    }
  }

  /** Returns the error parameters as {@code BytesRestResponse} does. */
  private static ToXContent.Params errorParams(RestRequest request) {
    return request.paramAsBoolean("error_trace", false)
        ? new ToXContent.DelegatingMapParams(
            Map.of(OpenSearchException.REST_EXCEPTION_SKIP_STACK_TRACE, "false"), request)
        : request;
  }

  private RestResponse end(
      RestChannel channel, RestStatus status, XContentBuilder builder, long tookMillis)
      throws IOException {
    RestRequest request = channel.request();
    boolean plain =
        builder.contentType() == XContentType.JSON
            && request.param("filter_path") == null
            && request.param("pretty") == null;
    builder.field("took", tookMillis);
    if (ingestTook != BulkResponse.NO_INGEST_TOOK) {
      builder.field("ingest_took", ingestTook);
    }
    builder.field("errors", errors);
    builder.startArray("items");
    if (!plain) {
      copyItems(builder);
    }
    builder.endArray();
    builder.endObject();
    BytesReference written = BytesReference.bytes(builder);
    return new BytesRestResponse(
        status, builder.contentType().mediaType(), plain ? withItems(written) : written);
  }

  private void copyItems(XContentBuilder builder) throws IOException {
    for (int i = 0; i < sections.size(); i++) {
      byte[] array = sections.set(i, null);
      if (array != null) {
        copy(array, builder);
      }
    }
  }

  private static void copy(byte[] array, XContentBuilder builder) throws IOException {
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(
            NamedXContentRegistry.EMPTY, DeprecationHandler.IGNORE_DEPRECATIONS, array)) {
      parser.nextToken();
      while (parser.nextToken() != XContentParser.Token.END_ARRAY) {
        builder.copyCurrentStructure(parser);
      }
    }
  }

  /** Inserts the items' bytes into the empty array at the end. */
  private BytesReference withItems(BytesReference written) {
    int end = written.length() - "]}".length();
    List<BytesReference> parts = new ArrayList<>(2 * sections.size() + 1);
    parts.add(written.slice(0, end));
    for (byte[] array : sections) {
      if (array != null) {
        if (parts.size() > 1) {
          parts.add(COMMA);
        }
        parts.add(new BytesArray(array, 1, array.length - 2));
      }
    }
    parts.add(written.slice(end, written.length() - end));
    return CompositeBytesReference.of(parts.toArray(new BytesReference[0]));
  }

  /** Releases the memory after the client has received the response or disconnected. */
  void release() {
    memory.release(Category.CLIENT_RESPONSE, reservedBytes);
    reservedBytes = 0;
    sections.clear();
  }
}
