package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Decoded bytes of a body that were not consumed yet. Its owner releases it once. */
final class DecodedChunk {
  private final ByteBuf bytes;
  private final @Nullable RefCountedBuffer owner;

  /**
   * Makes a piece.
   *
   * @param bytes owned
   * @param of where they lie, owned; null where they are by themselves
   */
  DecodedChunk(ByteBuf bytes, @Nullable RefCountedBuffer of) {
    this.bytes = bytes;
    this.owner = of;
  }

  /** The bytes, borrowed. */
  ByteBuf bytes() {
    return bytes;
  }

  void release() {
    bytes.release();
    if (owner != null) {
      owner.release();
    }
  }
}
