package dev.weir.bluegreen.shadow;

import dev.weir.admission.MemoryPool;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A bounded copy of bytes that arrive in pieces. Reserves memory as it grows. Owned by one thread,
 * which takes or releases the copy once.
 */
final class AccountedByteCopy {
  private static final int INITIAL_CAPACITY = 1 << 10;
  private static final byte[] NONE = {};

  private final MemoryPool ledger;
  private final int maxBytes;
  private byte[] bytes = NONE;
  private int length;

  /** The result of copying a piece. */
  enum AppendResult {
    /** It was copied. */
    COPIED,
    /** The bytes exceed the bound; nothing is held any more. */
    TOO_LONG,
    /** Memory is short; nothing is held any more. */
    OUT_OF_MEMORY
  }

  /**
   * Creates an empty copy.
   *
   * @param most the bound in bytes
   */
  AccountedByteCopy(MemoryPool ledger, int most) {
    this.ledger = ledger;
    this.maxBytes = most;
  }

  /** Copies a piece. */
  AppendResult append(ByteBuffer piece) {
    int size = piece.remaining();
    if (size > maxBytes - length) {
      release();
      return AppendResult.TOO_LONG;
    }
    if (size > bytes.length - length && !grow(length + size)) {
      release();
      return AppendResult.OUT_OF_MEMORY;
    }
    piece.get(piece.position(), bytes, length, size);
    length += size;
    return AppendResult.COPIED;
  }

  private boolean grow(int needed) {
    int size =
        (int) Math.min(maxBytes, Math.max(needed, Math.max(INITIAL_CAPACITY, 2L * bytes.length)));
    if (!ledger.tryReserve(size, 0)) { // beside the old ones until these were copied
      return false;
    }
    byte[] old = bytes;
    bytes = Arrays.copyOf(bytes, size);
    ledger.release(old.length);
    return true;
  }

  /** The copy; the caller releases its length. */
  byte[] takeBytes() {
    byte[] taken = length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    ledger.release(bytes.length - taken.length);
    bytes = NONE;
    length = 0;
    return taken;
  }

  /** Releases the copy. */
  void release() {
    ledger.release(bytes.length);
    bytes = NONE;
    length = 0;
  }
}
