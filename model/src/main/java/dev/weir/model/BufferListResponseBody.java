package dev.weir.model;

import java.nio.ByteBuffer;
import java.util.List;

/** A response body that consists of a list of buffers. */
final class BufferListResponseBody implements ResponseBody {
  private final List<ByteBuffer> slices;
  private final long length;

  BufferListResponseBody(List<ByteBuffer> slices) {
    this.slices = slices;
    long sum = 0;
    for (int i = 0; i < slices.size(); i++) {
      sum += slices.get(i).remaining();
    }
    this.length = sum;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public Reader reader() {
    return new Reader() {
      private int index;
      private int offset;

      @Override
      public void read(ByteBuffer into) {
        while (into.hasRemaining() && index < slices.size()) {
          ByteBuffer slice = slices.get(index);
          int count = Math.min(slice.remaining() - offset, into.remaining());
          into.put(into.position(), slice, slice.position() + offset, count);
          into.position(into.position() + count);
          offset += count;
          if (offset == slice.remaining()) {
            index++;
            offset = 0;
          }
        }
      }
    };
  }
}
