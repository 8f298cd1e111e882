package dev.weir.core.reduce;

import static dev.weir.core.reduce.json.PlainJson.ascii;

import dev.weir.core.reduce.json.PlainJson;
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
 * The array of a bulk's items as JSON, as {@code BulkItemResponse.toXContent} writes it: ordinary
 * successes here, all others (errors, replica failures, updates that return the document) by
 * OpenSearch's own class. Used once, by one thread.
 */
final class BulkJson {
  private static final int ROOM_AN_ITEM = 192;
  private static final int MOST_ITEMS_AT_FIRST = 4096;
  private static final byte[][] OPENINGS = new byte[4][];

  static {
    for (DocWriteRequest.OpType operation : DocWriteRequest.OpType.values()) {
      OPENINGS[operation.getId()] = ascii("{\"" + operation.getLowercase() + "\":{\"_index\":\"");
    }
  }

  private static final byte[] ID = ascii("\",\"_id\":\"");
  private static final byte[] VERSION = ascii("\",\"_version\":");
  private static final byte[] RESULT = ascii(",\"result\":\"");
  private static final byte[] FORCED_REFRESH = ascii(",\"forced_refresh\":true");
  private static final byte[] SHARDS = ascii(",\"_shards\":{\"total\":");
  private static final byte[] SUCCESSFUL = ascii(",\"successful\":");
  private static final byte[] NONE_FAILED = ascii(",\"failed\":0}");
  private static final byte[] SEQ_NO = ascii(",\"_seq_no\":");
  private static final byte[] PRIMARY_TERM = ascii(",\"_primary_term\":");
  private static final byte[] STATUS = ascii(",\"status\":");
  private static final byte[] END = ascii("}}");

  private final ToXContent.Params params;
  private final PlainJson json;
  private @Nullable String lastIndex;
  private byte[] lastIndexBytes = {};

  BulkJson(int items, ToXContent.Params params) {
    this.params = params;
    this.json = new PlainJson(Math.min(items, MOST_ITEMS_AT_FIRST) * ROOM_AN_ITEM);
    json.put('[');
  }

  void add(BulkItemResponse item) throws IOException {
    if (json.length() > 1) {
      json.put(',');
    }
    int before = json.length();
    if (item.isFailed() || !addSuccess(item, item.getResponse())) {
      json.cut(before);
      addByItself(item);
    }
  }

  /** The array, closed. */
  ByteArrayInputStream end() {
    json.put(']');
    return new ByteArrayInputStream(json.bytes(), 0, json.length());
  }

  /** Writes an ordinary success; false, with something half-written, when it is not ordinary. */
  private boolean addSuccess(BulkItemResponse item, DocWriteResponse done) {
    ShardInfo shards = done.getShardInfo();
    if (shards.getFailed() != 0
        || shards.getFailures().length > 0
        || (done instanceof UpdateResponse update && update.getGetResult() != null)) {
      return false;
    }
    json.put(OPENINGS[item.getOpType().getId()]);
    String index = done.getIndex();
    if (!index.equals(lastIndex)) {
      lastIndex = index;
      lastIndexBytes = index.getBytes(StandardCharsets.UTF_8);
    }
    json.put(lastIndexBytes);
    json.put(ID);
    if (!PlainJson.isPlain(done.getId())) {
      return false;
    }
    json.putPlain(done.getId());
    json.put(VERSION);
    json.put(done.getVersion());
    json.put(RESULT);
    json.putPlain(done.getResult().getLowercase());
    json.put('"');
    if (done.forcedRefresh()) {
      json.put(FORCED_REFRESH);
    }
    json.put(SHARDS);
    json.put(shards.getTotal());
    json.put(SUCCESSFUL);
    json.put(shards.getSuccessful());
    json.put(NONE_FAILED);
    if (done.getSeqNo() >= 0) {
      json.put(SEQ_NO);
      json.put(done.getSeqNo());
      json.put(PRIMARY_TERM);
      json.put(done.getPrimaryTerm());
    }
    json.put(STATUS);
    json.put(done.status().getStatus());
    json.put(END);
    return true;
  }

  private void addByItself(BulkItemResponse item) throws IOException {
    try (XContentBuilder builder = JsonXContent.contentBuilder()) {
      item.toXContent(builder, params);
      BytesRef written = BytesReference.bytes(builder).toBytesRef();
      json.put(written.bytes, written.offset, written.length);
    }
  }
}
