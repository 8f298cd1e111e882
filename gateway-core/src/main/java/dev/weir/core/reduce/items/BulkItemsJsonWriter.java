package dev.weir.core.reduce.items;

import static dev.weir.core.reduce.json.PlainJsonWriter.toAscii;

import dev.weir.core.reduce.json.PlainJsonWriter;
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
  private final PlainJsonWriter jsonWriter;
  private @Nullable String lastIndex;
  private byte[] lastIndexBytes = {};

  BulkItemsJsonWriter(int items, ToXContent.Params params) {
    this.params = params;
    this.jsonWriter = new PlainJsonWriter(Math.min(items, MAX_INITIAL_ITEMS) * BYTES_PER_ITEM);
    jsonWriter.put('[');
  }

  void add(BulkItemResponse item) throws IOException {
    if (jsonWriter.length() > 1) {
      jsonWriter.put(',');
    }
    int before = jsonWriter.length();
    if (item.isFailed() || !addSuccess(item, item.getResponse())) {
      jsonWriter.truncate(before);
      addWithXContent(item);
    }
  }

  /** Closes the array and returns it. */
  ByteArrayInputStream finish() {
    jsonWriter.put(']');
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
    jsonWriter.put(ITEM_PREFIXES[item.getOpType().getId()]);
    String index = done.getIndex();
    if (!index.equals(lastIndex)) {
      lastIndex = index;
      lastIndexBytes = index.getBytes(StandardCharsets.UTF_8);
    }
    jsonWriter.put(lastIndexBytes);
    jsonWriter.put(ID);
    if (!PlainJsonWriter.isPlain(done.getId())) {
      return false;
    }
    jsonWriter.putPlain(done.getId());
    jsonWriter.put(VERSION);
    jsonWriter.put(done.getVersion());
    jsonWriter.put(RESULT);
    jsonWriter.putPlain(done.getResult().getLowercase());
    jsonWriter.put('"');
    if (done.forcedRefresh()) {
      jsonWriter.put(FORCED_REFRESH);
    }
    jsonWriter.put(SHARDS);
    jsonWriter.put(shards.getTotal());
    jsonWriter.put(SUCCESSFUL);
    jsonWriter.put(shards.getSuccessful());
    jsonWriter.put(ZERO_FAILED);
    if (done.getSeqNo() >= 0) {
      jsonWriter.put(SEQ_NO);
      jsonWriter.put(done.getSeqNo());
      jsonWriter.put(PRIMARY_TERM);
      jsonWriter.put(done.getPrimaryTerm());
    }
    jsonWriter.put(STATUS);
    jsonWriter.put(done.status().getStatus());
    jsonWriter.put(END);
    return true;
  }

  private void addWithXContent(BulkItemResponse item) throws IOException {
    try (XContentBuilder builder = JsonXContent.contentBuilder()) {
      item.toXContent(builder, params);
      BytesRef written = BytesReference.bytes(builder).toBytesRef();
      jsonWriter.put(written.bytes, written.offset, written.length);
    }
  }
}
