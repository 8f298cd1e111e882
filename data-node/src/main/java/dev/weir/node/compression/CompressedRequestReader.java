package dev.weir.node.compression;

import java.io.IOException;
import java.util.function.Consumer;
import org.apache.lucene.util.ArrayUtil;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
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

  /** How far zstd compresses: a block of 128 KB that repeats one byte takes four. */
  private static final long MAX_RATIO = (128 << 10) / 4;

  /** A node rejects messages that are larger than 30 % of its heap; so do we. */
  private static final long MAX_BYTES =
      Math.min(ArrayUtil.MAX_ARRAY_LENGTH, Runtime.getRuntime().maxMemory() / 10 * 3);

  private final String action;
  private final Writeable.Reader<T> reader;
  private final boolean canBreak;
  private final CircuitBreaker breaker;
  private final Consumer<DecompressedBytes> onCompressed;

  /**
   * Creates a reader.
   *
   * @param action that of the requests
   * @param reader of the payload
   * @param canBreak whether the node may refuse such a request for lack of memory
   * @param breaker counts incoming requests
   * @param onCompressed gets what a compressed request takes before it is read, on the same thread
   */
  CompressedRequestReader(
      String action,
      Writeable.Reader<T> reader,
      boolean canBreak,
      CircuitBreaker breaker,
      Consumer<DecompressedBytes> onCompressed) {
    this.action = action;
    this.reader = reader;
    this.canBreak = canBreak;
    this.breaker = breaker;
    this.onCompressed = onCompressed;
  }

  /**
   * Reads a request.
   *
   * @throws IOException if it is compressed, and broken or too large
   * @throws CircuitBreakingException if it is compressed, and the node has too little memory for it
   */
  @Override
  public T read(StreamInput in) throws IOException {
    if (!isCompressed(in)) {
      return reader.read(in);
    }
    byte[] rest = new byte[in.available()];
    in.readBytes(rest, 0, rest.length);
    int length = rest.length - Integer.BYTES;
    if (length < 0) {
      throw new IOException("got a compressed request that ends early (expected: all of it)");
    }
    int size = readSize(rest, length);
    DecompressedBytes added = new DecompressedBytes(breaker, Math.max(0, size - length));
    if (canBreak) {
      added.addOrBreak(action);
    } else {
      added.add();
    }
    try {
      onCompressed.accept(added);
      return read(payload(rest, length, size), in);
    } finally {
      added.remove();
    }
  }

  private T read(BytesArray payload, StreamInput in) throws IOException {
    try (StreamInput named =
        new NamedWriteableAwareStreamInput(payload.streamInput(), in.namedWriteableRegistry())) {
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

  /** Returns the size of the payload before it was compressed; 0 if it is not compressed. */
  private static int readSize(byte[] rest, int length) throws IOException {
    int size = new BytesArray(rest, length, Integer.BYTES).getInt(0);
    long most = Math.min(MAX_BYTES, MAX_RATIO * length);
    if (size < 0 || size > most) {
      throw new IOException(
          "got a compressed request of " + size + " bytes (expected: 1 to " + most + ")");
    }
    return size;
  }

  private static BytesArray payload(byte[] rest, int length, int size) throws IOException {
    return size == 0
        ? new BytesArray(rest, 0, length)
        : new BytesArray(CompressionContexts.decompress(rest, length, size));
  }
}
