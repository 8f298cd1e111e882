package dev.weir.http.body;

import dev.weir.http.error.BodyTransformException;
import io.netty.buffer.ByteBuf;

/** Changes one body on its way, piece by piece. Confined to its request's event loop. */
public interface BodyTransformer {
  /**
   * Takes the next piece, without its content coding.
   *
   * @param from borrowed
   * @param to gets what is known of what it becomes
   * @throws BodyTransformException when it can't be what it has to become
   */
  void transform(ByteBuf from, ByteBuf to);

  /** Gives what was kept until more would come, which does not. */
  void finish(ByteBuf to);
}
