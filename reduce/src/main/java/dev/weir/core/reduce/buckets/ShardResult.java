package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.memory.ReductionWorkspace;
import dev.weir.core.reduce.terms.AggregationBytes;
import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.util.Arrays;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.search.aggregations.InternalAggregation;

/** The aggregations of one shard as bytes, read once from front to back. Used by one thread. */
final class ShardResult {
  private final AggregationBytes window;
  private final FrameStreamInput input;
  private final ReductionWorkspace.CheckedInput objects;

  ShardResult(AggregationBytes window, ReductionWorkspace workspace) {
    this.window = window;
    this.input = window.openInput();
    this.objects = workspace.checked(input, window.registry());
  }

  /** Returns the input for single values. */
  FrameStreamInput input() {
    return input;
  }

  /** Returns an input at the same position that accounts for the objects of the current bucket. */
  StreamInput objectInput() {
    return objects.forBucket();
  }

  /** Returns the type of the next aggregation and leaves the position. */
  String peekType() throws IOException {
    int position = input.position();
    String type = input.readString();
    window.seek(input, position);
    return type;
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
   */
  InternalAggregation readHead(int from) throws IOException {
    int to = input.position();
    byte[] head = Arrays.copyOf(window.copy(from, to), to - from + 1);
    try (FrameStreamInput in =
        new FrameStreamInput(new BytesArray(head), window.version(), window.registry(), true)) {
      return in.readNamedWriteable(InternalAggregation.class);
    }
  }
}
