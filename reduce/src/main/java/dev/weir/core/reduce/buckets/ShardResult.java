package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.memory.ReductionWorkspace;
import dev.weir.core.reduce.terms.AggregationBytes;
import dev.weir.protocol.FrameStreamInput;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.search.aggregations.InternalAggregation;

/** The aggregations of one shard as bytes, read once from front to back. Used by one thread. */
final class ShardResult {
  private final AggregationBytes window;
  private final BucketReduction reduction;
  private final FrameStreamInput input;
  private final ReductionWorkspace.CheckedInput objects;
  private final ObjectReaders readers;

  /** Decides which parts of a result become objects. */
  interface ObjectReaders {
    /**
     * Returns the readers of a result.
     *
     * @param all reads every type
     */
    NamedWriteableRegistry of(NamedWriteableRegistry all, ShardResult result);
  }

  ShardResult(AggregationBytes window, BucketReduction reduction, ObjectReaders readers) {
    this.window = window;
    this.reduction = reduction;
    this.readers = readers;
    this.input = window.openInput();
    this.objects = reduction.workspace().checked(input, readers.of(window.registry(), this));
  }

  /** Returns the reduction of the search. */
  BucketReduction reduction() {
    return reduction;
  }

  /** Opens a part of the same bytes. */
  ShardResult slice(int from, int to) {
    return new ShardResult(window.slice(from, to), reduction, readers);
  }

  /** Returns the input for single values. */
  FrameStreamInput input() {
    return input;
  }

  /**
   * Returns an input at the same position that accounts for the objects of the current bucket.
   * Aggregations that take much memory stay bytes until they are reduced.
   */
  StreamInput objectInput() {
    return objects.forBucket();
  }

  /** Returns the type of the next aggregation and leaves the position. */
  String peekType() throws IOException {
    int position = input.position();
    String type = input.readString();
    seek(position);
    return type;
  }

  /** Moves to a position that was read before. */
  void seek(int position) throws IOException {
    window.seek(input, position);
  }

  /** Skips bytes. */
  void skip(long count) throws IOException {
    if (count < 0 || input.skip(count) != count) {
      throw new EOFException("got too few bytes (expected: " + count + " more)");
    }
  }

  /** Skips the aggregations of a bucket. */
  void skipAggregations() throws IOException {
    StreamInput in = objects.forBucket();
    for (int i = readCount(AggregationLevel.MIN_AGGREGATION_BYTES); i > 0; i--) {
      in.readNamedWriteable(InternalAggregation.class);
    }
  }

  /**
   * Reads an aggregation that was skipped before.
   *
   * @param from where it begins, after its type
   */
  InternalAggregation read(String type, int from, int to) throws IOException {
    try (FrameStreamInput in = window.slice(from, to).openInput()) {
      return in.readNamedWriteable(InternalAggregation.class, type);
    }
  }

  /**
   * Reads a number of elements.
   *
   * @param minBytes the least bytes of an element
   */
  int readCount(int minBytes) throws IOException {
    int count = input.readVInt();
    if (count < 0 || count > input.available() / minBytes) {
      throw new IOException("got " + count + " elements (expected: no more than fit)");
    }
    return count;
  }

  /**
   * Reads an aggregation as it would be without elements: the bytes since a position, followed by a
   * count of zero.
   *
   * @param from where it begins, after its type
   */
  InternalAggregation readHead(String type, int from) throws IOException {
    int to = input.position();
    byte[] head = Arrays.copyOf(window.copy(from, to), to - from + 1);
    try (FrameStreamInput in =
        new FrameStreamInput(new BytesArray(head), window.version(), window.registry(), true)) {
      return in.readNamedWriteable(InternalAggregation.class, type);
    }
  }
}
