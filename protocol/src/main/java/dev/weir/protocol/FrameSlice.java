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
 * A part of a received frame's array, valid as long as the frame is retained.
 *
 * <p>It is not OpenSearch's {@link BytesArray}, because that counts the whole array behind it as
 * its own size, and here that is a pooled one of megabytes that many frames share. Circuit breakers
 * go by that size.
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

  /** Its own length: what it takes of the frame. */
  @Override
  public long ramBytesUsed() {
    return length;
  }

  /**
   * Reads the slice with the frame's registry, so that named payloads within can be read too; what
   * is read does not lie in the frame any more.
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
