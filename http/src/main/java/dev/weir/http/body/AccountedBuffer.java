package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * A growing byte array from the event loop's {@link ByteArrayPool}, charged to a budget. Its owner
 * calls {@link #release} or {@link #leaveToGarbageCollector} once at the end. Confined to its event
 * loop.
 */
final class AccountedBuffer {
  private static final byte[] EMPTY = {};
  private static final int INITIAL_CAPACITY = 1 << 10;

  private final BodyBudget budget;
  private byte[] array = EMPTY;
  private int length;
  private long charged;
  private long reserved;

  /** Creates an empty buffer, which charges nothing. */
  AccountedBuffer(BodyBudget budget) {
    this.budget = budget;
  }

  /** Returns the number of bytes written. */
  int length() {
    return length;
  }

  /** Returns the array's length in bytes. */
  int capacity() {
    return array.length;
  }

  /** Returns how many bytes fit before the array has to grow. */
  int writableBytes() {
    return array.length - length;
  }

  /** Returns what an array of at least {@code size} bytes charges to the budget, in bytes. */
  static int allocatedSize(int size) {
    return ByteArrayPool.lengthFor(size);
  }

  /**
   * Charges the budget in advance for later growth.
   *
   * @return false, without a change, when the budget lacks the bytes
   */
  boolean tryReserve(long bytes) {
    if (!budget.tryCharge(bytes)) {
      return false;
    }
    reserved += bytes;
    return true;
  }

  /** Returns the unused part of the reserve to the budget. */
  void releaseReserve() {
    if (reserved > 0) {
      budget.release(reserved);
      reserved = 0;
    }
  }

  /**
   * Moves the content to a larger array. Both arrays are charged during the copy.
   *
   * @param size the least length of the new array, in bytes
   * @return false, without a change, when the budget lacks {@link #allocatedSize} bytes
   */
  boolean tryGrow(int size) {
    int price = allocatedSize(size);
    long fromReserve = Math.min(reserved, price);
    if (fromReserve < price && !budget.tryCharge(price - fromReserve)) {
      return false;
    }
    byte[] larger = allocateLarger(size, price - fromReserve);
    reserved -= fromReserve;
    System.arraycopy(array, 0, larger, 0, length);
    ByteArrayPool.current().release(array);
    array = larger;
    budget.release(charged);
    charged = price;
    return true;
  }

  /** Allocates the next array; returns {@code paid} bytes to the budget if that fails. */
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

  /** Appends a chunk that fits into the array; the chunk stays the caller's. */
  void append(ByteBuf piece) {
    int size = piece.readableBytes();
    piece.getBytes(piece.readerIndex(), array, length, size);
    length += size;
  }

  /**
   * Appends a chunk; the array grows if necessary. The chunk stays the caller's.
   *
   * @param maxLength the limit of all bytes in this buffer
   * @return false, without a change, when the limit or the budget would be exceeded
   */
  boolean tryAppend(ByteBuf piece, int maxLength) {
    int size = piece.readableBytes();
    if (size > writableBytes()) {
      long needed = (long) length + size;
      long wanted = Math.max(Math.max(INITIAL_CAPACITY, needed), 2L * capacity());
      if (needed > maxLength || !tryGrow((int) Math.min(maxLength, wanted))) {
        return false;
      }
    }
    append(piece);
    return true;
  }

  /** Returns the array itself; its first {@link #length} bytes are valid. */
  byte[] array() {
    return array;
  }

  /** Returns a view of the bytes that shares the array. */
  ByteBuffer bytes() {
    return ByteBuffer.wrap(array, 0, length).slice();
  }

  /** Returns a view of the bytes that shares the array. */
  ByteBuf buffer() {
    return Unpooled.wrappedBuffer(array, 0, length);
  }

  /**
   * Moves array and charge to a new buffer, which the caller owns; this one is empty afterwards.
   */
  AccountedBuffer transfer() {
    AccountedBuffer other = new AccountedBuffer(budget);
    other.array = array;
    other.length = length;
    other.charged = charged;
    charged = 0;
    leaveToGarbageCollector();
    return other;
  }

  /** Returns the array to the pool. Call only when nothing reads the bytes any more. */
  void release() {
    ByteArrayPool.current().release(array);
    leaveToGarbageCollector();
  }

  /** Drops the array without reusing it, because something may still read the bytes. */
  void leaveToGarbageCollector() {
    array = EMPTY;
    length = 0;
    releaseReserve();
    budget.release(charged);
    charged = 0;
  }
}
