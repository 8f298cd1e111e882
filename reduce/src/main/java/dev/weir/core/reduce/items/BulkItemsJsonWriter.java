package dev.weir.core.reduce.items;

import static dev.weir.model.JsonBuffer.toAscii;

import dev.weir.model.JsonBuffer;
import dev.weir.model.JsonStringEscaper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
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
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;

/**
 * Writes a bulk's items as JSON, with commas in between, like {@code BulkItemResponse.toXContent}.
 * It writes ordinary successes itself and leaves all others (errors, replica failures, updates that
 * return the document) to OpenSearch's own class. Used once, by one thread.
 */
final class BulkItemsJsonWriter {
  /** An ordinary item has fewer bytes, apart from the names of its index and document. */
  private static final int BYTES_PER_ITEM = 200;

  private static final int MAX_INITIAL_ITEMS = 4096;
  private static final int MAX_SAMPLE_NAMES = 128;
  private static final byte[] VERSION = toAscii("\",\"_version\":");
  private static final byte[] SEQ_NO = toAscii(",\"_seq_no\":");
  private static final byte[] PRIMARY_TERM = toAscii(",\"_primary_term\":");
  private static final byte[] STATUS = toAscii(",\"status\":");
  private static final byte[] END = toAscii("}}");

  private final ToXContent.Params params;
  private final JsonBuffer jsonWriter;
  private boolean hasItems;
  private @Nullable ItemStart lastStart;
  private @Nullable ItemOutcome lastOutcome;

  /**
   * Prepares to write.
   *
   * @param sample one of the items; others have names of about the same length
   */
  BulkItemsJsonWriter(int items, BulkItemResponse sample, ToXContent.Params params) {
    this.params = params;
    int itemBytes = BYTES_PER_ITEM + Math.min(lengthOfNames(sample), MAX_SAMPLE_NAMES);
    this.jsonWriter = new JsonBuffer(Math.min(items, MAX_INITIAL_ITEMS) * itemBytes);
  }

  private static int lengthOfNames(BulkItemResponse item) {
    String index = item.getIndex();
    String id = item.getId();
    return (index == null ? 0 : index.length()) + (id == null ? 0 : id.length());
  }

  void add(BulkItemResponse item) throws IOException {
    if (hasItems) {
      jsonWriter.write(',');
    }
    hasItems = true;
    if (item.isFailed() || !addSuccess(item, item.getResponse())) {
      addWithXContent(item);
    }
  }

  /** Adds one row of a {@linkplain ColumnarShardResponse#isPlain plain} response. */
  void add(ColumnarShardResponse shard, int row) throws IOException {
    DocumentIds ids = shard.ids();
    byte[] start = startOf(shard.operation(), shard.getShardId().getIndexName()).json();
    if (start == null || !JsonBuffer.isPlain(ids.idBytes(), ids.idOffset(row), ids.idLength(row))) {
      add(shard.toItem(row));
      return;
    }
    if (hasItems) {
      jsonWriter.write(',');
    }
    hasItems = true;
    jsonWriter.write(start);
    jsonWriter.write(ids.idBytes(), ids.idOffset(row), ids.idLength(row));
    addEnd(
        shard.version(row),
        outcomeOf(shard.result(row), shard.isForcedRefresh(row), shard.getShardInfo()),
        shard.sequenceNumber(row),
        shard.primaryTerm(row),
        shard.result(row) == DocWriteResponse.Result.CREATED ? RestStatus.CREATED : RestStatus.OK);
  }

  /** Returns how much was written and not drained. */
  int length() {
    return jsonWriter.length();
  }

  /** Returns what was written and not drained. */
  ByteBuffer json() {
    return ByteBuffer.wrap(jsonWriter.bytes(), 0, jsonWriter.length());
  }

  /** Moves what was written to a stream. */
  void drainTo(OutputStream out) throws IOException {
    jsonWriter.drainTo(out);
  }

  /** Writes an ordinary success; returns false, without output, for others. */
  private boolean addSuccess(BulkItemResponse item, DocWriteResponse done) {
    ShardInfo shards = done.getShardInfo();
    if (shards.getFailed() != 0
        || shards.getFailures().length > 0
        || (done instanceof UpdateResponse update && update.getGetResult() != null)
        || !JsonBuffer.isPlain(done.getId())) {
      return false;
    }
    byte[] start = startOf(item.getOpType(), done.getIndex()).json();
    if (start == null) {
      return false;
    }
    jsonWriter.write(start);
    jsonWriter.writeAscii(done.getId());
    addEnd(
        done.getVersion(),
        outcomeOf(done.getResult(), done.forcedRefresh(), shards),
        done.getSeqNo(),
        done.getPrimaryTerm(),
        done.status());
    return true;
  }

  /** Adds what follows the text of an item's id. */
  private void addEnd(
      long version, ItemOutcome outcome, long sequenceNumber, long primaryTerm, RestStatus status) {
    jsonWriter.write(VERSION);
    jsonWriter.writeNumber(version);
    jsonWriter.write(outcome.json());
    if (sequenceNumber >= 0) {
      jsonWriter.write(SEQ_NO);
      jsonWriter.writeNumber(sequenceNumber);
      jsonWriter.write(PRIMARY_TERM);
      jsonWriter.writeNumber(primaryTerm);
    }
    jsonWriter.write(STATUS);
    jsonWriter.writeNumber(status.getStatus());
    jsonWriter.write(END);
  }

  /** Returns the same object as for the last item, if possible. */
  private ItemStart startOf(DocWriteRequest.OpType operation, String index) {
    ItemStart start = lastStart;
    if (start == null || start.operation() != operation || !start.index().equals(index)) {
      start = ItemStart.of(operation, index);
      lastStart = start;
    }
    return start;
  }

  /** Returns the same object as for the last item, if possible. */
  private ItemOutcome outcomeOf(
      DocWriteResponse.Result result, boolean forcedRefresh, ShardInfo shards) {
    ItemOutcome outcome = lastOutcome;
    if (outcome == null
        || outcome.result() != result
        || outcome.forcedRefresh() != forcedRefresh
        || outcome.total() != shards.getTotal()
        || outcome.successful() != shards.getSuccessful()) {
      outcome = ItemOutcome.of(result, forcedRefresh, shards);
      lastOutcome = outcome;
    }
    return outcome;
  }

  /**
   * An item up to the text of its id.
   *
   * @param json null if the name of the index needs escapes: it may have control characters
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record ItemStart(DocWriteRequest.OpType operation, String index, byte @Nullable [] json) {
    static ItemStart of(DocWriteRequest.OpType operation, String index) {
      if (index.chars().anyMatch(c -> JsonStringEscaper.escapeOf((char) c) != null)) {
        return new ItemStart(operation, index, null);
      }
      String json =
          "{\"" + operation.getLowercase() + "\":{\"_index\":\"" + index + "\",\"_id\":\"";
      return new ItemStart(operation, index, json.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** An item's fields between its version and its sequence number. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record ItemOutcome(
      DocWriteResponse.Result result,
      boolean forcedRefresh,
      int total,
      int successful,
      byte[] json) {
    static ItemOutcome of(DocWriteResponse.Result result, boolean forcedRefresh, ShardInfo shards) {
      String json =
          ",\"result\":\""
              + result.getLowercase()
              + '"'
              + (forcedRefresh ? ",\"forced_refresh\":true" : "")
              + ",\"_shards\":{\"total\":"
              + shards.getTotal()
              + ",\"successful\":"
              + shards.getSuccessful()
              + ",\"failed\":0}";
      return new ItemOutcome(
          result, forcedRefresh, shards.getTotal(), shards.getSuccessful(), toAscii(json));
    }
  }

  private void addWithXContent(BulkItemResponse item) throws IOException {
    try (XContentBuilder builder = JsonXContent.contentBuilder()) {
      item.toXContent(builder, params);
      BytesRef written = BytesReference.bytes(builder).toBytesRef();
      jsonWriter.write(written.bytes, written.offset, written.length);
    }
  }
}
