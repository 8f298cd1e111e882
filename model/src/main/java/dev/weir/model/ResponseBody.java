package dev.weir.model;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bytes of a response. The length is known, but the bytes need not exist in memory as a whole:
 * readers pull them in pieces. May be read several times, on any threads; each reader belongs to
 * one thread.
 */
public interface ResponseBody {
  /** An empty body. */
  ResponseBody EMPTY = of(List.of());

  /** Returns the number of bytes. */
  long length();

  /** Returns a reader at the first byte. */
  Reader reader();

  /** Reads a body once, in order. */
  interface Reader {
    /**
     * Copies the next bytes: as many as {@code into} has space for, or all that remain.
     *
     * @param into a buffer with an array, or a direct one
     */
    void read(ByteBuffer into);
  }

  /** Creates a body from buffers, from each buffer's position to its limit. */
  static ResponseBody of(List<ByteBuffer> slices) {
    return new BufferListResponseBody(slices);
  }

  /** Concatenates bodies. */
  static ResponseBody of(ResponseBody... parts) {
    return new CompositeResponseBody(List.of(parts));
  }

  /** Copies all bytes to one array; only for short bodies. */
  default byte[] toByteArray() {
    byte[] all = new byte[Math.toIntExact(length())];
    reader().read(ByteBuffer.wrap(all));
    return all;
  }
}
