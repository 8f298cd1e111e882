package dev.weir.core.actions.lines;

import dev.weir.core.reduce.items.ColumnarShardResponse;
import dev.weir.core.reduce.items.DocumentIds;
import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.rest.bulk.BulkLines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.apache.lucene.util.RamUsageEstimator;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkInternals;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.OperationRouting;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.index.shard.ShardId;

/** The documents of a bulk that go to one shard. Confined to the request's event loop. */
public final class ShardLines implements DocumentIds {
  private static final byte INDEX_REQUEST = 0;

  private final BulkLines lines;
  private final ShardId shard;
  private final DocWriteRequest.OpType operation;

  /** What a node charges for a document besides its id and its source, in bytes. */
  private final long itemBytes;

  private final int[] slots;
  private int size;
  private long bytes;
  private int lastIdLength = -1;
  private long lastIdBytes;

  private ShardLines(
      BulkLines lines, ShardId shard, IndexRequest planned, long itemBytes, int capacity) {
    this.lines = lines;
    this.shard = shard;
    this.operation = planned.opType();
    this.itemBytes = itemBytes;
    this.slots = new int[capacity];
  }

  /**
   * Groups documents by shard, each by its id.
   *
   * @param planned one of the documents, as {@link BulkLines#setPlanned} got it
   * @return the shards with documents, by their numbers
   */
  public static List<ShardLines> group(BulkLines lines, IndexRequest planned, IndexMetadata index) {
    int[] shardOf = new int[lines.size()];
    int[] sizes = new int[index.getNumberOfShards()];
    for (int slot = 0; slot < shardOf.length; slot++) {
      int number = OperationRouting.generateShardId(index, lines.id(slot), null);
      shardOf[slot] = number;
      sizes[number]++;
    }
    long itemBytes =
        new BulkItemRequest(0, planned).ramBytesUsed()
            - RamUsageEstimator.sizeOf(planned.id())
            - planned.source().length();
    ShardLines[] byNumber = new ShardLines[sizes.length];
    for (int slot = 0; slot < shardOf.length; slot++) {
      int number = shardOf[slot];
      ShardLines part = byNumber[number];
      if (part == null) {
        ShardId shard = new ShardId(index.getIndex(), number);
        part = new ShardLines(lines, shard, planned, itemBytes, sizes[number]);
        byNumber[number] = part;
      }
      part.add(slot);
    }
    List<ShardLines> parts = new ArrayList<>();
    for (ShardLines part : byNumber) {
      if (part != null) {
        parts.add(part);
      }
    }
    return parts;
  }

  private void add(int slot) {
    slots[size++] = slot;
    int idLength = lines.idLength(slot);
    if (idLength != lastIdLength) {
      lastIdLength = idLength;
      lastIdBytes = RamUsageEstimator.sizeOf("x".repeat(idLength));
    }
    bytes += itemBytes + lastIdBytes + lines.sourceLength(slot);
  }

  /** Returns the shard. */
  public ShardId shard() {
    return shard;
  }

  /** Returns what is done with all of the documents. */
  public DocWriteRequest.OpType operation() {
    return operation;
  }

  /** Returns what a node charges for the documents: {@code BulkItemRequest.ramBytesUsed}. */
  public long bytes() {
    return bytes;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int slot(int row) {
    return slots[row];
  }

  @Override
  public String id(int row) {
    return lines.id(slots[row]);
  }

  @Override
  public byte[] idBytes() {
    return lines.idBytes();
  }

  @Override
  public int idOffset(int row) {
    return lines.idOffset(slots[row]);
  }

  @Override
  public int idLength(int row) {
    return lines.idLength(slots[row]);
  }

  /** Writes the documents as {@code BulkShardRequest} writes its items. */
  void writeTo(StreamOutput out) throws IOException {
    out.writeVInt(size);
    for (int row = 0; row < size; row++) {
      out.writeBoolean(true); // the item is there
      out.writeVInt(slots[row]);
      out.writeByte(INDEX_REQUEST);
      lines.writeThin(slots[row], out);
      out.writeBoolean(false); // no response of a primary
    }
  }

  /**
   * Returns a reader of the response to these documents: into columns, unless many of them failed.
   * Columns fail to read if the response has other items or another order.
   *
   * @param failures makes failures smaller if there are many
   */
  public Writeable.Reader<BulkShardResponse> responseReader(UnaryOperator<Exception> failures) {
    return in ->
        size >= StacklessFailure.MIN_FAILURES && BulkInternals.hasManyFailures(in, size)
            ? BulkInternals.shardResponseReader(size, failures).read(in)
            : ColumnarShardResponse.read(in, this, operation);
  }
}
