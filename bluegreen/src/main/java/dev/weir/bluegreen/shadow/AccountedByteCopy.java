package dev.weir.bluegreen.shadow;

import dev.weir.admission.MemoryPool;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A copy of bytes that come piece by piece, up to a length, paid for as it grows. Owned by one
 * thread, which takes it or gives it back once.
 */
final class AccountedByteCopy {
  private static final int INITIAL_CAPACITY = 1 << 10;
  private static final byte[] NONE = {};

  private final MemoryPool ledger;
  private final int maxBytes;
  private byte[] bytes = NONE;
  private int length;

  /** What became of a piece. */
  enum AppendResult {
    /** It was copied. */
    COPIED,
    /** There is more than is copied; nothing is held any more. */
    TOO_LONG,
    /** There is no room; nothing is held any more. */
    OUT_OF_MEMORY
  }

  /**
   * Makes it empty.
   *
   * @param most bytes that are copied
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

  /** What was copied; whoever has it gives its length back. */
  byte[] takeBytes() {
    byte[] taken = length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    ledger.release(bytes.length - taken.length);
    bytes = NONE;
    length = 0;
    return taken;
  }

  /** Forgets what was copied. */
  void release() {
    ledger.release(bytes.length);
    bytes = NONE;
    length = 0;
  }
}
