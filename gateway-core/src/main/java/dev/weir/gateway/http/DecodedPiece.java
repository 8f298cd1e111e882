package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Decoded bytes of a body that were not taken yet. Whoever has it releases it once.
 *
 * @param of where the bytes lie, owned; null where they are by themselves
 */
record DecodedPiece(ByteBuf bytes, @Nullable SharedArray of) {
  void release() {
    bytes.release();
    if (of != null) {
      of.letGo();
    }
  }
}
