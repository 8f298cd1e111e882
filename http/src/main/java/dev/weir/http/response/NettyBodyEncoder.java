package dev.weir.http.response;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.MessageToByteEncoder;

/** Encodes with one of Netty's own encoders; used for rarely requested codings. */
final class NettyBodyEncoder implements BodyEncoder {

  private final EmbeddedChannel channel;

  NettyBodyEncoder(MessageToByteEncoder<ByteBuf> encoder) {
    channel = new EmbeddedChannel(encoder);
  }

  @Override
  public void encode(ByteBuf in, ByteBuf out, boolean last) {
    if (in.isReadable()) {
      channel.writeOutbound(in.retainedSlice());
      in.skipBytes(in.readableBytes());
    }
    if (last) {
      channel.finish();
    }
    for (ByteBuf encoded = channel.readOutbound();
        encoded != null;
        encoded = channel.readOutbound()) {
      out.writeBytes(encoded);
      encoded.release();
    }
  }

  /** A block of snappy, and the table of its hashes. */
  @Override
  public int memoryBytes() {
    return 64 << 10;
  }

  @Override
  public void close() {
    channel.finishAndReleaseAll();
  }
}
