package dev.weir.responses.columnar.arrow;

import java.util.ArrayList;
import java.util.List;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/** The body of a record batch and the positions of its buffers. Used by one thread. */
final class RecordBatchBody {
  /** Every buffer starts at a multiple of this many bytes. */
  private static final int ALIGNMENT = 8;

  private static final byte[] ZEROS = new byte[ALIGNMENT];

  /** The number of values of a vector, and how many of them are null. */
  record VectorNode(long length, long nullCount) {}

  /** The position of a buffer in the body. */
  record BufferSpan(long offset, long length) {}

  private final List<VectorNode> nodes = new ArrayList<>();
  private final List<BufferSpan> buffers = new ArrayList<>();
  private final List<BytesReference> pieces = new ArrayList<>();
  private long length;

  void addNode(long values, long nulls) {
    nodes.add(new VectorNode(values, nulls));
  }

  void addBuffer(BytesReference bytes) {
    buffers.add(new BufferSpan(length, bytes.length()));
    if (bytes.length() == 0) {
      return;
    }
    pieces.add(bytes);
    int padding = -bytes.length() & (ALIGNMENT - 1);
    if (padding > 0) {
      pieces.add(new BytesArray(ZEROS, 0, padding));
    }
    length += bytes.length() + padding;
  }

  List<VectorNode> nodes() {
    return nodes;
  }

  List<BufferSpan> buffers() {
    return buffers;
  }

  List<BytesReference> pieces() {
    return pieces;
  }

  long length() {
    return length;
  }
}
