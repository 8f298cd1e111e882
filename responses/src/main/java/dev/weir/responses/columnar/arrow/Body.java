package dev.weir.responses.columnar.arrow;

import java.util.ArrayList;
import java.util.List;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/** The body of a batch, and where what lies in it. Used by one thread. */
final class Body {
  /** Buffers begin at multiples of so many bytes. */
  private static final int ALIGNMENT = 8;

  private static final byte[] ZEROS = new byte[ALIGNMENT];

  /** How many values a vector has, and how many of them are none. */
  record Node(long length, long nulls) {}

  /** Where a buffer is in the body. */
  record Place(long offset, long length) {}

  private final List<Node> nodes = new ArrayList<>();
  private final List<Place> places = new ArrayList<>();
  private final List<BytesReference> pieces = new ArrayList<>();
  private long length;

  void node(long values, long nulls) {
    nodes.add(new Node(values, nulls));
  }

  void buffer(BytesReference bytes) {
    places.add(new Place(length, bytes.length()));
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

  List<Node> nodes() {
    return nodes;
  }

  List<Place> places() {
    return places;
  }

  List<BytesReference> pieces() {
    return pieces;
  }

  long length() {
    return length;
  }
}
