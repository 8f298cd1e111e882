package dev.weir.bluegreen.shadow;

import dev.weir.admission.MemoryLedger;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A copy of bytes that come piece by piece, up to a length, paid for as it grows. Owned by one
 * thread, which takes it or gives it back once.
 */
final class CopiedBytes {
  private static final int FIRST = 1 << 10;
  private static final byte[] NONE = {};

  private final MemoryLedger ledger;
  private final int most;
  private byte[] bytes = NONE;
  private int length;

  /** What became of a piece. */
  enum Fit {
    /** It was copied. */
    COPIED,
    /** There is more than is copied; nothing is held any more. */
    TOO_LONG,
    /** There is no room; nothing is held any more. */
    NO_ROOM
  }

  /**
   * Makes it empty.
   *
   * @param most bytes that are copied
   */
  CopiedBytes(MemoryLedger ledger, int most) {
    this.ledger = ledger;
    this.most = most;
  }

  /** Copies a piece. */
  Fit add(ByteBuffer piece) {
    int size = piece.remaining();
    if (size > most - length) {
      giveBack();
      return Fit.TOO_LONG;
    }
    if (size > bytes.length - length && !grow(length + size)) {
      giveBack();
      return Fit.NO_ROOM;
    }
    piece.get(piece.position(), bytes, length, size);
    length += size;
    return Fit.COPIED;
  }

  private boolean grow(int needed) {
    int size = (int) Math.min(most, Math.max(needed, Math.max(FIRST, 2L * bytes.length)));
    if (!ledger.tryTake(size, 0)) { // beside the old ones until these were copied
      return false;
    }
    byte[] old = bytes;
    bytes = Arrays.copyOf(bytes, size);
    ledger.giveBack(old.length);
    return true;
  }

  /** What was copied; whoever has it gives its length back. */
  byte[] take() {
    byte[] taken = length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    ledger.giveBack(bytes.length - taken.length);
    bytes = NONE;
    length = 0;
    return taken;
  }

  /** Forgets what was copied. */
  void giveBack() {
    ledger.giveBack(bytes.length);
    bytes = NONE;
    length = 0;
  }
}
