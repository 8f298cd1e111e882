package dev.weir.core.reduce.items;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.xcontent.XContentBuilder;

/**
 * A bulk's answer that writes its items as JSON by itself where the client wants nothing special
 * (other format, pretty, filtered), byte for byte as OpenSearch's class would: a thousand items in
 * a fifth of the time.
 */
final class DirectJsonBulkResponse extends BulkResponse {
  /** From so many items on it pays. */
  private static final int MIN_ITEMS = 8;

  private final BulkItemResponse[] items;

  DirectJsonBulkResponse(BulkItemResponse[] items, long tookMillis) {
    super(items, tookMillis);
    this.items = items;
  }

  @Override
  public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
    if (items.length < MIN_ITEMS
        || builder.contentType() != XContentType.JSON
        || params.param("filter_path") != null
        || params.param("pretty") != null) {
      return super.toXContent(builder, params);
    }
    BulkItemsJsonWriter json = new BulkItemsJsonWriter(items.length, params);
    boolean errors = false;
    for (BulkItemResponse item : items) {
      errors |= item.isFailed();
      json.add(item);
    }
    builder.startObject();
    builder.field("took", getTook().millis());
    builder.field("errors", errors);
    try (ByteArrayInputStream raw = json.finish()) {
      builder.rawField("items", raw, XContentType.JSON);
    }
    return builder.endObject();
  }
}
