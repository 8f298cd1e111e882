package dev.weir.http.response;

import io.netty.buffer.ByteBuf;

/** Encodes one response's body. Confined to one thread; closed once. */
interface BodyEncoder extends AutoCloseable {

  /**
   * Encodes a chunk.
   *
   * @param in borrowed; read to its end
   * @param out receives the encoded bytes; grows as needed
   * @param last whether this is the last chunk
   */
  void encode(ByteBuf in, ByteBuf out, boolean last);

  /** Returns about how many bytes of memory the encoder takes until it is closed. */
  int memoryBytes();

  @Override
  void close();
}
