package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * Bytes gathered in one array of the event loop's {@link ByteArrayPool} that is paid for out of a
 * budget. Its owner calls {@link #release} or {@link #leaveToGarbageCollector} in the end. Confined
 * to its event loop.
 */
final class AccountedBuffer {
  private static final byte[] EMPTY = {};
  private static final int INITIAL_CAPACITY = 1 << 10;

  private final BodyBudget budget;
  private byte[] array = EMPTY;
  private int length;
  private long charged;
  private long reserved;

  /** An empty one, which costs nothing. */
  AccountedBuffer(BodyBudget budget) {
    this.budget = budget;
  }

  /** Bytes gathered. */
  int length() {
    return length;
  }

  /** Bytes that the array takes. */
  int capacity() {
    return array.length;
  }

  /** Bytes that may be appended before it has to grow. */
  int writableBytes() {
    return array.length - length;
  }

  /**
   * What an array costs, in bytes of the budget.
   *
   * @param size bytes that it is to take at least
   */
  static int allocatedSize(int size) {
    return ByteArrayPool.lengthFor(size);
  }

  /**
   * Pays ahead for arrays to come.
   *
   * @return false, and nothing has changed, when the budget has no room for it
   */
  boolean tryReserve(long bytes) {
    if (!budget.tryCharge(bytes)) {
      return false;
    }
    reserved += bytes;
    return true;
  }

  /** Gives back what was paid ahead and not used. */
  void releaseReserve() {
    if (reserved > 0) {
      budget.release(reserved);
      reserved = 0;
    }
  }

  /**
   * Moves to a larger array; while both are there, both are paid for.
   *
   * @param size bytes that it is to take at least
   * @return false, and nothing has changed, when the budget has no room for its {@link
   *     #allocatedSize}
   */
  boolean tryGrow(int size) {
    int price = allocatedSize(size);
    long ahead = Math.min(reserved, price);
    if (ahead < price && !budget.tryCharge(price - ahead)) {
      return false;
    }
    byte[] larger = allocateLarger(size, price - ahead);
    reserved -= ahead;
    System.arraycopy(array, 0, larger, 0, length);
    ByteArrayPool.current().release(array);
    array = larger;
    budget.release(charged);
    charged = price;
    return true;
  }

  /**
   * The next array, for which so much was paid just now: that is given back where there is none.
   */
  private byte[] allocateLarger(int size, long paid) {
    boolean done = false;
    try {
      byte[] larger = ByteArrayPool.current().acquire(size);
      done = true;
      return larger;
    } finally {
      if (!done) {
        budget.release(paid);
      }
    }
  }

  /** Copies a piece, for which there must be room, to the end. */
  void append(ByteBuf piece) {
    int size = piece.readableBytes();
    piece.getBytes(piece.readerIndex(), array, length, size);
    length += size;
  }

  /**
   * Copies a piece to the end; the array grows for it.
   *
   * @param most bytes that may be gathered
   * @return false, and nothing has changed, when it is too much or the budget has no room for it
   */
  boolean tryAppend(ByteBuf piece, int most) {
    int size = piece.readableBytes();
    if (size > writableBytes()) {
      long needed = (long) length + size;
      long wanted = Math.max(Math.max(INITIAL_CAPACITY, needed), 2L * capacity());
      if (needed > most || !tryGrow((int) Math.min(most, wanted))) {
        return false;
      }
    }
    append(piece);
    return true;
  }

  /** The array itself, gathered in from its beginning. */
  byte[] array() {
    return array;
  }

  /** What was gathered; shares the array. */
  ByteBuffer bytes() {
    return ByteBuffer.wrap(array, 0, length).slice();
  }

  /** What was gathered; shares the array. */
  ByteBuf buffer() {
    return Unpooled.wrappedBuffer(array, 0, length);
  }

  /** Everything for another owner; this one is empty then. */
  AccountedBuffer transfer() {
    AccountedBuffer other = new AccountedBuffer(budget);
    other.array = array;
    other.length = length;
    other.charged = charged;
    charged = 0;
    leaveToGarbageCollector();
    return other;
  }

  /** Nobody reads the bytes any more: their array is used again. */
  void release() {
    ByteArrayPool.current().release(array);
    leaveToGarbageCollector();
  }

  /** Somebody may still read the bytes: their array is left to the garbage collector. */
  void leaveToGarbageCollector() {
    array = EMPTY;
    length = 0;
    releaseReserve();
    budget.release(charged);
    charged = 0;
  }
}
