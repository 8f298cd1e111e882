package dev.weir.http.body;

import dev.weir.http.error.BodyTransformException;
import io.netty.buffer.ByteBuf;

/** Changes one body chunk by chunk on its way to a node. Confined to its request's event loop. */
public interface BodyTransformer {
  /**
   * Transforms the next decoded chunk.
   *
   * @param from borrowed
   * @param to receives the output that is certain so far
   * @throws BodyTransformException when the body can't be transformed
   */
  void transform(ByteBuf from, ByteBuf to);

  /** Writes the output that was held back; called after the last chunk. */
  void finish(ByteBuf to);
}
