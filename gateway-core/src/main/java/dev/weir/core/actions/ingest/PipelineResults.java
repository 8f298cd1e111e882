package dev.weir.core.actions.ingest;

import dev.weir.core.reduce.items.StacklessFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteRequest.OpType;
import org.opensearch.action.DocWriteResponse;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkItemResponse.Failure;
import org.opensearch.action.bulk.BulkItemResponse.Failure.FailureSource;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.seqno.SequenceNumbers;

/**
 * What the pipelines made of the items that a node got.
 *
 * @param tookMillis how long the node took for it
 * @param items in the order of the request. The documents are slices of the reply's frame
 */
public record PipelineResults(long tookMillis, List<Item> items) {
  /** The result of one item. */
  public sealed interface Item {}

  /** No pipeline applied. */
  public record Unchanged() implements Item {}

  /**
   * The item is to be written as it is now.
   *
   * @param request with a note that its pipelines have run
   */
  public record Changed(DocWriteRequest<?> request) implements Item {}

  /** The item is not to be written: a pipeline dropped it, or failed on it. */
  public sealed interface Answered extends Item {
    /**
     * Returns the item's response, as the node that ran the pipelines would return it.
     *
     * @param slot the item's position in its bulk
     */
    BulkItemResponse toResponse(int slot);
  }

  private record Dropped(OpType operation, String index, String id, long version)
      implements Answered {
    @Override
    public BulkItemResponse toResponse(int slot) {
      return new BulkItemResponse(
          slot,
          operation,
          new UpdateResponse(
              new ShardId(index, IndexMetadata.INDEX_UUID_NA_VALUE, 0),
              id,
              SequenceNumbers.UNASSIGNED_SEQ_NO,
              SequenceNumbers.UNASSIGNED_PRIMARY_TERM,
              version,
              DocWriteResponse.Result.NOOP));
    }
  }

  private record Failed(
      OpType operation, @Nullable String index, @Nullable String id, StacklessFailure cause)
      implements Answered {
    @Override
    public BulkItemResponse toResponse(int slot) {
      return new BulkItemResponse(
          slot, operation, new Failure(index, id, cause, FailureSource.PIPELINE));
    }
  }

  /** Copies the items. */
  public PipelineResults {
    items = List.copyOf(items);
  }

  /**
   * Reads a response of the plugin's action {@link PipelineOperation#ACTION}: the milliseconds as a
   * vlong, the number of items as a vint, and each as a byte that names its kind, with its fields:
   *
   * <pre>
   *   0 unchanged
   *   1 changed   the item, as DocWriteRequest.writeDocumentRequest writes it
   *   2 dropped   operation: byte, index: string, id: string, version: zlong
   *   3 failed    operation: byte, index and id: optional strings, HTTP status: vint,
   *               error: the object that clients get, as JSON with its length in front
   * </pre>
   *
   * <p>Dropped and failed items have the operation of the document, which for an update is that of
   * its upsert.
   */
  static PipelineResults read(StreamInput in) throws IOException {
    long tookMillis = in.readVLong();
    int count = in.readVInt();
    List<Item> items = new ArrayList<>();
    for (int left = count; left > 0; left--) {
      items.add(readItem(in));
    }
    return new PipelineResults(tookMillis, items);
  }

  private static Item readItem(StreamInput in) throws IOException {
    byte kind = in.readByte();
    return switch (kind) {
      case 0 -> new Unchanged();
      case 1 -> new Changed(DocWriteRequest.readDocumentRequest(null, in));
      case 2 ->
          new Dropped(
              OpType.fromId(in.readByte()), in.readString(), in.readString(), in.readZLong());
      case 3 ->
          new Failed(
              OpType.fromId(in.readByte()),
              in.readOptionalString(),
              in.readOptionalString(),
              readFailure(in));
      default -> throw new IOException("got an item of kind " + kind + " (expected: 0 to 3)");
    };
  }

  private static StacklessFailure readFailure(StreamInput in) throws IOException {
    int code = in.readVInt();
    RestStatus status = RestStatus.fromCode(code);
    if (status == null) {
      throw new IOException("got the HTTP status " + code + " (expected: one of OpenSearch)");
    }
    return StacklessFailure.ofJson(status, BytesReference.toBytes(in.readBytesReference()));
  }
}
