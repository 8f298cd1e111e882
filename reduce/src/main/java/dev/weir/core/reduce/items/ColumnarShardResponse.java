package dev.weir.core.reduce.items;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteResponse.Result;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.index.shard.ShardId;

/**
 * A shard's response to documents whose ids the gateway knows, as columns: a thousand items are a
 * handful of arrays. {@link #getResponses} creates OpenSearch's objects where they are needed.
 *
 * <p>The layout is that of OpenSearch's {@code BulkShardResponse}, {@code BulkItemResponse} and
 * {@code IndexResponse}. Confined to one thread.
 */
public final class ColumnarShardResponse extends BulkShardResponse {
  /** The kinds of responses on the wire, as in {@code BulkItemResponse}. */
  private static final byte INDEX_RESPONSE = 0;

  private static final byte NO_RESPONSE = 2;

  private static final BulkItemResponse[] NONE = {};

  private final DocumentIds ids;
  private final DocWriteRequest.OpType operation;
  private final Columns columns;
  private BulkItemResponse @Nullable [] items;

  /** The items that succeeded, in a row each. */
  private static final class Columns {
    final long[] versions;
    final long[] sequenceNumbers;
    final long[] primaryTerms;
    final Result[] results;
    final boolean[] forcedRefreshes;

    /** The items that failed; null if there are none. */
    BulkItemResponse @Nullable [] failures;

    Columns(int rows) {
      versions = new long[rows];
      sequenceNumbers = new long[rows];
      primaryTerms = new long[rows];
      results = new Result[rows];
      forcedRefreshes = new boolean[rows];
    }
  }

  private ColumnarShardResponse(
      ShardId shard,
      DocumentIds ids,
      DocWriteRequest.OpType operation,
      Columns columns,
      long serviceTimeNanos,
      int queueSize) {
    super(shard, NONE, serviceTimeNanos, queueSize);
    this.ids = ids;
    this.operation = operation;
    this.columns = columns;
  }

  /**
   * Reads a response.
   *
   * @param operation of all documents
   * @throws IOException if it is not the response to these documents
   */
  public static ColumnarShardResponse read(
      StreamInput in, DocumentIds ids, DocWriteRequest.OpType operation) throws IOException {
    ShardInfo copies = new ShardInfo(in);
    ShardId shard = new ShardId(in);
    int rows = in.readVInt();
    if (rows != ids.size()) {
      throw new IOException("got " + rows + " responses (expected: " + ids.size() + ")");
    }
    Columns columns = new Columns(rows);
    for (int row = 0; row < rows; row++) {
      readItem(in, row, ids, operation, columns);
    }
    boolean reportsLoad = in.getVersion().onOrAfter(Version.V_3_6_0);
    ColumnarShardResponse response =
        new ColumnarShardResponse(
            shard,
            ids,
            operation,
            columns,
            reportsLoad ? in.readLong() : DEFAULT_SERVICE_TIME_IN_NANOS,
            reportsLoad ? in.readInt() : DEFAULT_QUEUE_SIZE);
    response.setShardInfo(copies);
    return response;
  }

  private static void readItem(
      StreamInput in, int row, DocumentIds ids, DocWriteRequest.OpType operation, Columns columns)
      throws IOException {
    int slot = in.readVInt();
    byte operationCode = in.readByte();
    byte kind = in.readByte();
    if (slot != ids.slot(row)
        || operationCode != operation.getId()
        || (kind != INDEX_RESPONSE && kind != NO_RESPONSE)) {
      throw new IOException(
          "got a response of kind "
              + kind
              + " to operation "
              + operationCode
              + " of item "
              + slot
              + " (expected: operation "
              + operation.getId()
              + " of item "
              + ids.slot(row)
              + ")");
    }
    if (kind == INDEX_RESPONSE) {
      skipCopies(in); // the shard's count for all items
      int idLength = in.readVInt();
      if (idLength != ids.idLength(row)) {
        throw new IOException(
            "got the response to an id of "
                + idLength
                + " characters (expected: "
                + ids.idLength(row)
                + ")");
      }
      in.skip(idLength);
      columns.versions[row] = in.readZLong();
      columns.sequenceNumbers[row] = in.readZLong();
      columns.primaryTerms[row] = in.readVLong();
      columns.forcedRefreshes[row] = in.readBoolean();
      columns.results[row] = Result.readFrom(in);
    }
    boolean failed = in.readBoolean();
    if (!failed
        && columns.results[row] != Result.CREATED
        && columns.results[row] != Result.UPDATED) {
      throw new IOException(
          "got result "
              + columns.results[row]
              + " of item "
              + slot
              + " (expected: CREATED or UPDATED)");
    }
    if (failed) {
      if (columns.failures == null) {
        columns.failures = new BulkItemResponse[ids.size()];
      }
      columns.failures[row] =
          new BulkItemResponse(slot, operation, new BulkItemResponse.Failure(in));
    }
  }

  private static void skipCopies(StreamInput in) throws IOException {
    in.readVInt();
    in.readVInt();
    for (int failures = in.readVInt(); failures > 0; failures--) {
      new ShardInfo.Failure(in);
    }
  }

  /** Returns whether every document was written, on every copy, and no more is to say about it. */
  public boolean isPlain() {
    ShardInfo copies = getShardInfo();
    return columns.failures == null && copies.getFailed() == 0 && copies.getFailures().length == 0;
  }

  DocumentIds ids() {
    return ids;
  }

  DocWriteRequest.OpType operation() {
    return operation;
  }

  long version(int row) {
    return columns.versions[row];
  }

  long sequenceNumber(int row) {
    return columns.sequenceNumbers[row];
  }

  long primaryTerm(int row) {
    return columns.primaryTerms[row];
  }

  boolean isForcedRefresh(int row) {
    return columns.forcedRefreshes[row];
  }

  /** Returns what happened to a document that was written. */
  Result result(int row) {
    return columns.results[row];
  }

  /** Creates OpenSearch's response to one item. */
  BulkItemResponse toItem(int row) {
    if (columns.failures != null && columns.failures[row] != null) {
      return columns.failures[row];
    }
    IndexResponse done =
        new IndexResponse(
            getShardId(),
            ids.id(row),
            columns.sequenceNumbers[row],
            columns.primaryTerms[row],
            columns.versions[row],
            columns.results[row] == Result.CREATED);
    done.setForcedRefresh(columns.forcedRefreshes[row]);
    done.setShardInfo(getShardInfo());
    return new BulkItemResponse(ids.slot(row), operation, done);
  }

  @Override
  public BulkItemResponse[] getResponses() {
    BulkItemResponse[] created = items;
    if (created == null) {
      created = new BulkItemResponse[ids.size()];
      for (int row = 0; row < created.length; row++) {
        created[row] = toItem(row);
      }
      items = created;
    }
    return created;
  }

  @Override
  public void setForcedRefresh(boolean forcedRefresh) {
    throw new UnsupportedOperationException("a response from a node does not change");
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    BulkShardResponse whole =
        new BulkShardResponse(
            getShardId(), getResponses(), getServiceTimeEWMAInNanos(), getNodeQueueSize());
    whole.setShardInfo(getShardInfo());
    whole.writeTo(out);
  }
}
