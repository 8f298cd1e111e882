package dev.weir.gateway.reduce;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
  private static final int LONGEST_NUMBER = 20;
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
  private byte[] bytes;
  private int length;
  private @Nullable String lastIndex;
  private byte[] lastIndexBytes = {};

  BulkJson(int items, ToXContent.Params params) {
    this.params = params;
    this.bytes = new byte[Math.min(items, MOST_ITEMS_AT_FIRST) * ROOM_AN_ITEM];
    put('[');
  }

  void add(BulkItemResponse item) throws IOException {
    if (length > 1) {
      put(',');
    }
    int before = length;
    if (item.isFailed() || !addSuccess(item, item.getResponse())) {
      length = before;
      addByItself(item);
    }
  }

  /** The array, closed. */
  ByteArrayInputStream end() {
    put(']');
    return new ByteArrayInputStream(bytes, 0, length);
  }

  /** Writes an ordinary success; false, with something half-written, when it is not ordinary. */
  private boolean addSuccess(BulkItemResponse item, DocWriteResponse done) {
    ShardInfo shards = done.getShardInfo();
    if (shards.getFailed() != 0
        || shards.getFailures().length > 0
        || (done instanceof UpdateResponse update && update.getGetResult() != null)) {
      return false;
    }
    put(OPENINGS[item.getOpType().getId()]);
    String index = done.getIndex();
    if (!index.equals(lastIndex)) {
      lastIndex = index;
      lastIndexBytes = index.getBytes(StandardCharsets.UTF_8);
    }
    put(lastIndexBytes);
    put(ID);
    if (!putPlain(done.getId())) {
      return false;
    }
    put(VERSION);
    put(done.getVersion());
    put(RESULT);
    putPlain(done.getResult().getLowercase());
    put('"');
    if (done.forcedRefresh()) {
      put(FORCED_REFRESH);
    }
    put(SHARDS);
    put(shards.getTotal());
    put(SUCCESSFUL);
    put(shards.getSuccessful());
    put(NONE_FAILED);
    if (done.getSeqNo() >= 0) {
      put(SEQ_NO);
      put(done.getSeqNo());
      put(PRIMARY_TERM);
      put(done.getPrimaryTerm());
    }
    put(STATUS);
    put(done.status().getStatus());
    put(END);
    return true;
  }

  private void addByItself(BulkItemResponse item) throws IOException {
    try (XContentBuilder builder = JsonXContent.contentBuilder()) {
      item.toXContent(builder, params);
      BytesRef written = BytesReference.bytes(builder).toBytesRef();
      room(written.length);
      System.arraycopy(written.bytes, written.offset, bytes, length, written.length);
      length += written.length;
    }
  }

  /** Writes text that needs no escape and is ASCII; false at the first character that is not. */
  @SuppressWarnings("deprecation") // the one way to get at a string's bytes without a copy
  private boolean putPlain(String text) {
    int chars = text.length();
    room(chars);
    text.getBytes(0, chars, bytes, length);
    for (int i = 0; i < chars; i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        return false;
      }
    }
    length += chars;
    return true;
  }

  private void put(long number) {
    room(LONGEST_NUMBER);
    if (number < 0) {
      byte[] digits = ascii(Long.toString(number));
      System.arraycopy(digits, 0, bytes, length, digits.length);
      length += digits.length;
      return;
    }
    int end = length + digits(number);
    long rest = number;
    for (int at = end; at > length; rest /= 10) {
      bytes[--at] = (byte) ('0' + rest % 10);
    }
    length = end;
  }

  private static int digits(long number) {
    int digits = 1;
    for (long rest = number; rest >= 10; rest /= 10) {
      digits++;
    }
    return digits;
  }

  private void put(byte[] text) {
    room(text.length);
    System.arraycopy(text, 0, bytes, length, text.length);
    length += text.length;
  }

  private void put(char c) {
    room(1);
    bytes[length++] = (byte) c;
  }

  private void room(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.addExact(length + more, bytes.length / 2));
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
