package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Cuts a reply's slices into pieces for the socket. Large direct slices go as they are; the rest is
 * gathered in direct buffers, because a socket needs direct memory and few buffers a write.
 */
final class SliceReader {

  /** A piece's size, in bytes. */
  static final int PIECE = 64 << 10;

  /** Direct slices from this size on are not copied. */
  private static final int UNCOPIED = 8 << 10;

  private final List<ByteBuffer> slices;
  private final ByteBufAllocator allocator;
  private int index;
  private int offset;
  private long remaining;

  SliceReader(List<ByteBuffer> slices, ByteBufAllocator allocator) {
    this.slices = slices;
    this.allocator = allocator;
    this.remaining = lengthOf(slices);
  }

  static long lengthOf(List<ByteBuffer> slices) {
    long length = 0;
    for (int i = 0; i < slices.size(); i++) {
      length += slices.get(i).remaining();
    }
    return length;
  }

  /** Bytes not yet cut. */
  long remaining() {
    return remaining;
  }

  /** The next piece, at most {@link #PIECE} bytes; only while something remains. */
  ByteBuf next() {
    skipEmpty();
    ByteBuffer slice = slices.get(index);
    int left = slice.remaining() - offset;
    if (slice.isDirect() && left >= UNCOPIED) {
      return take(slice, Math.min(left, PIECE));
    }
    ByteBuf piece = allocator.directBuffer((int) Math.min(remaining, PIECE));
    fill(piece);
    return piece;
  }

  private ByteBuf take(ByteBuffer slice, int size) {
    ByteBuf piece = Unpooled.wrappedBuffer(slice.slice(slice.position() + offset, size));
    advance(size);
    return piece;
  }

  private void fill(ByteBuf piece) {
    int room = (int) Math.min(remaining, PIECE);
    while (room > 0) {
      skipEmpty();
      ByteBuffer slice = slices.get(index);
      int left = slice.remaining() - offset;
      if (slice.isDirect() && left >= UNCOPIED) {
        return;
      }
      int size = Math.min(left, room);
      if (slice.hasArray()) {
        piece.writeBytes(slice.array(), slice.arrayOffset() + slice.position() + offset, size);
      } else {
        piece.writeBytes(slice.slice(slice.position() + offset, size));
      }
      advance(size);
      room -= size;
    }
  }

  private void skipEmpty() {
    while (slices.get(index).remaining() == offset) {
      index++;
      offset = 0;
    }
  }

  private void advance(int size) {
    offset += size;
    remaining -= size;
  }
}
