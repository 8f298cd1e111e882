package dev.weir.core.reduce.items;

import dev.weir.core.reduce.response.ResponseSplice;
import dev.weir.model.ResponseBody;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.XContentBuilder;

/**
 * A bulk response that writes its items as JSON itself, byte for byte as OpenSearch's class would,
 * if the client asks for no other format, pretty-printing or filter. A thousand items take a fifth
 * of the time.
 */
final class DirectJsonBulkResponse extends BulkResponse {
  /** The number of items from which on the direct writer is faster. */
  private static final int MIN_ITEMS = 8;

  /**
   * The bytes of an item's JSON for which its request has reserved memory, on average: less than
   * half of what the parser of bulks reserves for an item. With more, as failures and long ids may
   * have, items are copied to the pages of the response, which are counted, as they are written.
   */
  private static final int RESERVED_BYTES = 320;

  /** The size of the pieces in which items are copied. */
  private static final int CHUNK_BYTES = 32 << 10;

  private static final BulkItemResponse[] NONE = {};

  private final BulkResults results;
  private BulkItemResponse @Nullable [] items;

  /** Creates a response; every item must have its own. */
  DirectJsonBulkResponse(BulkResults results, long tookMillis, long ingestTookMillis) {
    super(NONE, tookMillis, ingestTookMillis);
    this.results = results;
  }

  @Override
  public BulkItemResponse[] getItems() {
    BulkItemResponse[] all = items;
    if (all == null) {
      all = results.toArray();
      items = all;
    }
    return all;
  }

  @Override
  public boolean hasFailures() {
    return results.hasFailures();
  }

  @Override
  public Iterator<BulkItemResponse> iterator() {
    return List.of(getItems()).iterator();
  }

  @Override
  public String buildFailureMessage() {
    return toOpenSearch().buildFailureMessage();
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    toOpenSearch().writeTo(out);
  }

  private BulkResponse toOpenSearch() {
    return new BulkResponse(getItems(), getTook().millis(), getIngestTookInMillis());
  }

  @Override
  public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
    if (results.size() < MIN_ITEMS
        || builder.contentType() != XContentType.JSON
        || params.param("filter_path") != null
        || params.param("pretty") != null) {
      return toOpenSearch().toXContent(builder, params);
    }
    builder.startObject();
    builder.field("took", getTook().millis());
    if (getIngestTookInMillis() != NO_INGEST_TOOK) {
      builder.field("ingest_took", getIngestTookInMillis());
    }
    builder.field("errors", hasFailures());
    builder.startArray("items");
    addItems(builder, params);
    builder.endArray();
    return builder.endObject();
  }

  /** Adds the items to an open array: without a copy if their memory is reserved. */
  private void addItems(XContentBuilder builder, Params params) throws IOException {
    int size = results.size();
    BulkItemsJsonWriter json = new BulkItemsJsonWriter(size, results.get(0), params);
    int added = 0;
    while (added < size && json.length() <= size * RESERVED_BYTES) {
      results.writeTo(json, added++);
    }
    if (json.length() <= size * RESERVED_BYTES) {
      ResponseSplice.add(builder, ResponseBody.of(List.of(json.json())));
      return;
    }
    builder.flush();
    OutputStream out = builder.getOutputStream();
    json.drainTo(out);
    while (added < size) {
      results.writeTo(json, added++);
      if (json.length() >= CHUNK_BYTES) {
        json.drainTo(out);
      }
    }
    json.drainTo(out);
  }
}
