package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Decoded bytes of a body that were not copied into a section yet. Its owner releases it once. */
final class DecodedChunk {
  private final ByteBuf bytes;
  private final @Nullable RefCountedBuffer owner;

  /**
   * Creates a chunk.
   *
   * @param bytes owned
   * @param of the array that the bytes lie in, owned; null when {@code bytes} owns its memory
   */
  DecodedChunk(ByteBuf bytes, @Nullable RefCountedBuffer of) {
    this.bytes = bytes;
    this.owner = of;
  }

  /** Returns the bytes; they stay this chunk's. */
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
