package dev.weir.model;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bytes of an answer, of a known length, that need not lie anywhere as a whole: readers pull
 * them piece by piece. May be read several times, on any threads; each reader is one thread's.
 */
public interface ResponseBody {
  /** No bytes. */
  ResponseBody EMPTY = of(List.of());

  /** How many bytes there are. */
  long length();

  /** Begins to read from the first byte on. */
  Reader reader();

  /** Reads a body once, in order. */
  interface Reader {
    /**
     * Puts the next bytes: as many as there is room for, or all that are left.
     *
     * @param into has an array behind it, or is direct
     */
    void read(ByteBuffer into);
  }

  /** A body of slices, in order; what lies between their positions and limits. */
  static ResponseBody of(List<ByteBuffer> slices) {
    return new BufferListResponseBody(slices);
  }

  /** One body after the other. */
  static ResponseBody of(ResponseBody... parts) {
    return new CompositeResponseBody(List.of(parts));
  }

  /** All of it in one array; for short ones. */
  default byte[] toByteArray() {
    byte[] all = new byte[Math.toIntExact(length())];
    reader().read(ByteBuffer.wrap(all));
    return all;
  }
}
