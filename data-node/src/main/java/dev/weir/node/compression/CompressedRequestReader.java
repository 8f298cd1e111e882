package dev.weir.node.compression;

import java.io.IOException;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * Reads requests that are compressed, and all others as before.
 *
 * @param <T> the request
 */
final class CompressedRequestReader<T> implements Writeable.Reader<T> {
  /** What a compressed payload begins with. */
  private static final int MARKER = -1;

  /** Ordinary requests compress less; a few bytes must not take much memory. */
  private static final long MAX_RATIO = 1000;

  /** A node rejects messages that are larger than 30 % of its heap; so do we. */
  private static final long MAX_BYTES =
      Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 10 * 3);

  private final Writeable.Reader<T> reader;
  private final Runnable onCompressed;

  /**
   * Creates a reader.
   *
   * @param reader of the payload
   * @param onCompressed runs before a compressed request is read, on the same thread
   */
  CompressedRequestReader(Writeable.Reader<T> reader, Runnable onCompressed) {
    this.reader = reader;
    this.onCompressed = onCompressed;
  }

  /**
   * Reads a request.
   *
   * @throws IOException if it is compressed, and broken or too large
   */
  @Override
  public T read(StreamInput in) throws IOException {
    if (!isCompressed(in)) {
      return reader.read(in);
    }
    onCompressed.run();
    byte[] rest = new byte[in.available()];
    in.readBytes(rest, 0, rest.length);
    int length = rest.length - Integer.BYTES;
    if (length < 0) {
      throw new IOException("got a compressed request that ends early (expected: all of it)");
    }
    StreamInput payload = payload(rest, length).streamInput();
    try (StreamInput named =
        new NamedWriteableAwareStreamInput(payload, in.namedWriteableRegistry())) {
      named.setVersion(in.getVersion());
      T request = reader.read(named);
      if (named.available() > 0) {
        throw new IOException(
            "got " + named.available() + " bytes after a compressed request (expected: none)");
      }
      return request;
    }
  }

  private static boolean isCompressed(StreamInput in) throws IOException {
    if (!in.markSupported() || in.available() < 2 * Integer.BYTES) {
      return false;
    }
    in.mark(Integer.BYTES);
    if (in.readInt() == MARKER) {
      return true;
    }
    in.reset();
    return false;
  }

  private static BytesArray payload(byte[] rest, int length) throws IOException {
    int size = new BytesArray(rest, length, Integer.BYTES).getInt(0);
    if (size == 0) {
      return new BytesArray(rest, 0, length);
    }
    long most = Math.min(MAX_BYTES, MAX_RATIO * length);
    if (size < 0 || size > most) {
      throw new IOException(
          "got a compressed request of " + size + " bytes (expected: 1 to " + most + ")");
    }
    return new BytesArray(CompressionContexts.decompress(rest, length, size));
  }
}
