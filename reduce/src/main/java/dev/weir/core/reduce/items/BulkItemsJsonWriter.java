package dev.weir.core.reduce.items;

import static dev.weir.model.JsonBuffer.toAscii;

import dev.weir.model.JsonBuffer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteResponse;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.support.replication.ReplicationResponse.ShardInfo;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;

/**
 * Writes the array of a bulk's items as JSON, like {@code BulkItemResponse.toXContent}. It writes
 * ordinary successes itself and leaves all others (errors, replica failures, updates that return
 * the document) to OpenSearch's own class. Used once, by one thread.
 */
final class BulkItemsJsonWriter {
  private static final int BYTES_PER_ITEM = 192;
  private static final int MAX_INITIAL_ITEMS = 4096;
  private static final byte[][] ITEM_PREFIXES = new byte[4][];

  static {
    for (DocWriteRequest.OpType operation : DocWriteRequest.OpType.values()) {
      ITEM_PREFIXES[operation.getId()] =
          toAscii("{\"" + operation.getLowercase() + "\":{\"_index\":\"");
    }
  }

  private static final byte[] ID = toAscii("\",\"_id\":\"");
  private static final byte[] VERSION = toAscii("\",\"_version\":");
  private static final byte[] RESULT = toAscii(",\"result\":\"");
  private static final byte[] FORCED_REFRESH = toAscii(",\"forced_refresh\":true");
  private static final byte[] SHARDS = toAscii(",\"_shards\":{\"total\":");
  private static final byte[] SUCCESSFUL = toAscii(",\"successful\":");
  private static final byte[] ZERO_FAILED = toAscii(",\"failed\":0}");
  private static final byte[] SEQ_NO = toAscii(",\"_seq_no\":");
  private static final byte[] PRIMARY_TERM = toAscii(",\"_primary_term\":");
  private static final byte[] STATUS = toAscii(",\"status\":");
  private static final byte[] END = toAscii("}}");

  private final ToXContent.Params params;
  private final JsonBuffer jsonWriter;
  private @Nullable String lastIndex;
  private byte[] lastIndexBytes = {};

  BulkItemsJsonWriter(int items, ToXContent.Params params) {
    this.params = params;
    this.jsonWriter = new JsonBuffer(Math.min(items, MAX_INITIAL_ITEMS) * BYTES_PER_ITEM);
    jsonWriter.write('[');
  }

  void add(BulkItemResponse item) throws IOException {
    if (jsonWriter.length() > 1) {
      jsonWriter.write(',');
    }
    int before = jsonWriter.length();
    if (item.isFailed() || !addSuccess(item, item.getResponse())) {
      jsonWriter.truncate(before);
      addWithXContent(item);
    }
  }

  /** Closes the array and returns it. */
  ByteArrayInputStream finish() {
    jsonWriter.write(']');
    return new ByteArrayInputStream(jsonWriter.bytes(), 0, jsonWriter.length());
  }

  /**
   * Writes an ordinary success. Returns false, with partial output, if the success is not ordinary.
   */
  private boolean addSuccess(BulkItemResponse item, DocWriteResponse done) {
    ShardInfo shards = done.getShardInfo();
    if (shards.getFailed() != 0
        || shards.getFailures().length > 0
        || (done instanceof UpdateResponse update && update.getGetResult() != null)) {
      return false;
    }
    jsonWriter.write(ITEM_PREFIXES[item.getOpType().getId()]);
    String index = done.getIndex();
    if (!index.equals(lastIndex)) {
      lastIndex = index;
      lastIndexBytes = index.getBytes(StandardCharsets.UTF_8);
    }
    jsonWriter.write(lastIndexBytes);
    jsonWriter.write(ID);
    if (!JsonBuffer.isPlain(done.getId())) {
      return false;
    }
    jsonWriter.writeAscii(done.getId());
    jsonWriter.write(VERSION);
    jsonWriter.writeNumber(done.getVersion());
    jsonWriter.write(RESULT);
    jsonWriter.writeAscii(done.getResult().getLowercase());
    jsonWriter.write('"');
    if (done.forcedRefresh()) {
      jsonWriter.write(FORCED_REFRESH);
    }
    jsonWriter.write(SHARDS);
    jsonWriter.writeNumber(shards.getTotal());
    jsonWriter.write(SUCCESSFUL);
    jsonWriter.writeNumber(shards.getSuccessful());
    jsonWriter.write(ZERO_FAILED);
    if (done.getSeqNo() >= 0) {
      jsonWriter.write(SEQ_NO);
      jsonWriter.writeNumber(done.getSeqNo());
      jsonWriter.write(PRIMARY_TERM);
      jsonWriter.writeNumber(done.getPrimaryTerm());
    }
    jsonWriter.write(STATUS);
    jsonWriter.writeNumber(done.status().getStatus());
    jsonWriter.write(END);
    return true;
  }

  private void addWithXContent(BulkItemResponse item) throws IOException {
    try (XContentBuilder builder = JsonXContent.contentBuilder()) {
      item.toXContent(builder, params);
      BytesRef written = BytesReference.bytes(builder).toBytesRef();
      jsonWriter.write(written.bytes, written.offset, written.length);
    }
  }
}
