package dev.weir.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * Bytes gathered in one array of the event loop's {@link ByteArrays} that is paid for out of a
 * budget. Whoever owns it calls {@link #free} or {@link #abandon} in the end. Confined to its event
 * loop.
 */
final class PaidArray {
  private static final byte[] NOTHING = {};
  private static final int FIRST = 1 << 10;

  private final BodyBudget budget;
  private byte[] array = NOTHING;
  private int length;
  private long charged;
  private long reserved;

  /** An empty one, which costs nothing. */
  PaidArray(BodyBudget budget) {
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
  int room() {
    return array.length - length;
  }

  /**
   * What an array costs, in bytes of the budget.
   *
   * @param size bytes that it is to take at least
   */
  static int price(int size) {
    return ByteArrays.lengthFor(size);
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
   * @return false, and nothing has changed, when the budget has no room for its {@link #price}
   */
  boolean tryGrow(int size) {
    int price = price(size);
    long ahead = Math.min(reserved, price);
    if (ahead < price && !budget.tryCharge(price - ahead)) {
      return false;
    }
    byte[] larger = larger(size, price - ahead);
    reserved -= ahead;
    System.arraycopy(array, 0, larger, 0, length);
    ByteArrays.current().give(array);
    array = larger;
    budget.release(charged);
    charged = price;
    return true;
  }

  /**
   * The next array, for which so much was paid just now: that is given back where there is none.
   */
  private byte[] larger(int size, long paid) {
    boolean done = false;
    try {
      byte[] larger = ByteArrays.current().take(size);
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
    if (size > room()) {
      long needed = (long) length + size;
      long wanted = Math.max(Math.max(FIRST, needed), 2L * capacity());
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
  PaidArray handOver() {
    PaidArray other = new PaidArray(budget);
    other.array = array;
    other.length = length;
    other.charged = charged;
    charged = 0;
    abandon();
    return other;
  }

  /** Nobody reads the bytes any more: their array is used again. */
  void free() {
    ByteArrays.current().give(array);
    abandon();
  }

  /** Somebody may still read the bytes: their array is left to the garbage collector. */
  void abandon() {
    array = NOTHING;
    length = 0;
    releaseReserve();
    budget.release(charged);
    charged = 0;
  }
}
