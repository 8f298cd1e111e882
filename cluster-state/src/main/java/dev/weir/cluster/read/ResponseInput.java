package dev.weir.cluster.read;

import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.util.Arrays;
import org.opensearch.Version;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;

/**
 * A response that is read from its start: its bytes, and a stream at the next one. Not thread-safe.
 */
public final class ResponseInput {
  private final BytesArray bytes;
  private final Version version;
  private final FrameStreamInput stream;

  /**
   * Opens a response.
   *
   * @param version the version in which the node wrote it
   * @param registry reads named parts
   */
  public ResponseInput(BytesArray bytes, Version version, NamedWriteableRegistry registry) {
    this.bytes = bytes;
    this.version = version;
    this.stream = new FrameStreamInput(bytes, version, registry, true);
  }

  FrameStreamInput stream() {
    return stream;
  }

  Version version() {
    return version;
  }

  int position() {
    return stream.position();
  }

  void skip(int count) {
    stream.skip(count);
  }

  /** Returns the next string; the position stays the same. */
  String peekString() throws IOException {
    stream.mark(0);
    try {
      return stream.readString();
    } finally {
      stream.reset();
    }
  }

  /** Returns whether the next bytes equal a range of another array. */
  boolean startsWith(byte[] other, int from, int to) {
    int at = bytes.offset() + stream.position();
    return to - from <= stream.available()
        && Arrays.equals(bytes.array(), at, at + to - from, other, from, to);
  }

  /** Copies the bytes from a position up to the current one. */
  void copyFrom(int position, byte[] into) {
    System.arraycopy(
        bytes.array(), bytes.offset() + position, into, 0, stream.position() - position);
  }
}
