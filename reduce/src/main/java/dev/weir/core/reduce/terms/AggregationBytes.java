package dev.weir.core.reduce.terms;

import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.util.BytesRef;
import org.opensearch.Version;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;

/**
 * The serialized aggregations of one shard. Positions count from the beginning.
 *
 * @param bytes valid as long as the reply frame
 */
public record AggregationBytes(BytesRef bytes, Version version, NamedWriteableRegistry registry) {
  /** Opens the bytes; byte references that it reads are copies. */
  public FrameStreamInput openInput() {
    BytesArray all = new BytesArray(bytes.bytes, bytes.offset, bytes.length);
    return new FrameStreamInput(all, version, registry, true);
  }

  /** Returns whether there is no aggregation. */
  public boolean isEmpty() {
    return bytes.length == 1 && bytes.bytes[bytes.offset] == 0;
  }

  /** Moves to a position that was read before. */
  public void seek(FrameStreamInput in, int position) throws IOException {
    in.reset(); // never marked, so this is the beginning
    if (in.skip(position) != position) {
      throw new IOException(
          "got " + bytes.length + " bytes (expected: more than " + position + ")");
    }
  }

  /** Returns a copy of a range. */
  public byte[] copy(int from, int to) {
    return Arrays.copyOfRange(bytes.bytes, bytes.offset + from, bytes.offset + to);
  }

  /** Returns the bytes of a range, without a copy. */
  public AggregationBytes slice(int from, int to) {
    return new AggregationBytes(
        new BytesRef(bytes.bytes, bytes.offset + from, to - from), version, registry);
  }

  /** Skips bytes that must equal {@code next}. */
  void skipExpected(FrameStreamInput in, byte[] next) throws IOException {
    int from = bytes.offset + in.position();
    if (in.skip(next.length) != next.length
        || !Arrays.equals(bytes.bytes, from, from + next.length, next, 0, next.length)) {
      throw new IOException("got a bucket unlike the first (expected: the same metrics in all)");
    }
  }
}
