package dev.weir.http.response;

import io.netty.buffer.ByteBuf;

/** Encodes one response's body. Confined to one thread; closed once. */
interface BodyEncoder extends AutoCloseable {

  /**
   * Encodes a piece.
   *
   * @param in borrowed; read to its end
   * @param out where to write; grows as needed
   * @param last whether no further piece follows
   */
  void encode(ByteBuf in, ByteBuf out, boolean last);

  @Override
  void close();
}
