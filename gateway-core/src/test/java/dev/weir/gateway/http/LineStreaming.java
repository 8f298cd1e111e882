package dev.weir.gateway.http;

import dev.weir.model.BodyCutter;
import dev.weir.model.BodyStreaming;
import org.jspecify.annotations.Nullable;

/** Bodies whose items are lines. */
record LineStreaming(long over, int sectionBytes, long windowBytes) implements BodyStreaming {
  @Override
  public boolean cuts(@Nullable String contentType) {
    return !"text/whole".equals(contentType);
  }

  @Override
  public BodyCutter cutter() {
    return new Lines();
  }

  private static final class Lines implements BodyCutter {
    private int at;
    private int cut;
    private int items;

    @Override
    public void read(byte[] array, int to) {
      for (; at < to; at++) {
        if (array[at] == '\n') {
          items++;
          cut = at + 1;
        }
      }
    }

    @Override
    public int cut() {
      return cut;
    }

    @Override
    public boolean full() {
      return false;
    }

    @Override
    public int items() {
      return items;
    }

    @Override
    public int lines() {
      return items;
    }

    @Override
    public void restart() {
      at = 0;
      cut = 0;
      items = 0;
    }
  }
}
