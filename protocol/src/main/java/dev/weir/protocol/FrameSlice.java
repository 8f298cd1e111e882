package dev.weir.protocol;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import org.apache.lucene.util.BytesRef;
import org.opensearch.core.common.bytes.AbstractBytesReference;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * A slice of a received frame's array, valid as long as the frame is retained.
 *
 * <p>It is not OpenSearch's {@link BytesArray}, which reports the whole array as its memory. Here
 * that is a pooled array of megabytes that many slices share, and circuit breakers use that number.
 */
final class FrameSlice extends AbstractBytesReference {
  private final byte[] bytes;
  private final int offset;
  private final int length;
  private final NamedWriteableRegistry registry;

  FrameSlice(byte[] bytes, int offset, int length, NamedWriteableRegistry registry) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    this.bytes = bytes;
    this.offset = offset;
    this.length = length;
    this.registry = registry;
  }

  @Override
  public byte get(int index) {
    return bytes[offset + Objects.checkIndex(index, length)];
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public BytesReference slice(int from, int count) {
    Objects.checkFromIndexSize(from, count, length);
    return new FrameSlice(bytes, offset + from, count, registry);
  }

  /** Returns the slice's own length: its part of the frame. */
  @Override
  public long ramBytesUsed() {
    return length;
  }

  /**
   * Reads the slice with the frame's registry, so that named payloads within are readable. Objects
   * that are read do not refer to the frame.
   */
  @Override
  public StreamInput streamInput() {
    return new FrameStreamInput(bytes, offset, length, registry, true);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    out.write(bytes, offset, length);
  }

  @Override
  public BytesRef toBytesRef() {
    return new BytesRef(bytes, offset, length);
  }
}
