package dev.weir.model;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A response body that consists of other bodies, one after the other. */
final class CompositeResponseBody implements ResponseBody {
  private final List<ResponseBody> parts;
  private final long length;

  CompositeResponseBody(List<ResponseBody> parts) {
    this.parts = parts;
    long sum = 0;
    for (ResponseBody part : parts) {
      sum += part.length();
    }
    this.length = sum;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public Reader reader() {
    List<Reader> readers = new ArrayList<>(parts.size());
    parts.forEach(part -> readers.add(part.reader()));
    return new Reader() {
      private int index;

      @Override
      public void read(ByteBuffer into) {
        while (index < readers.size()) {
          readers.get(index).read(into);
          if (!into.hasRemaining()) {
            return; // the buffer is full; the part may have more bytes
          }
          index++;
        }
      }
    };
  }
}
