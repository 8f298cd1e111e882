package dev.weir.http;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Decoded bytes of a body that were not taken yet. Whoever has it releases it once. */
final class DecodedPiece {
  private final ByteBuf bytes;
  private final @Nullable SharedArray of;

  /**
   * Makes a piece.
   *
   * @param bytes owned
   * @param of where they lie, owned; null where they are by themselves
   */
  DecodedPiece(ByteBuf bytes, @Nullable SharedArray of) {
    this.bytes = bytes;
    this.of = of;
  }

  /** The bytes, borrowed. */
  ByteBuf bytes() {
    return bytes;
  }

  void release() {
    bytes.release();
    if (of != null) {
      of.letGo();
    }
  }
}
