package dev.weir.http;

import dev.weir.model.BodyCutter;
import dev.weir.model.BodyStreaming;
import org.jspecify.annotations.Nullable;

/**
 * Bodies whose items are lines.
 *
 * @param mostItems that a section has
 */
record LineStreaming(long over, int sectionBytes, long windowBytes, int mostItems)
    implements BodyStreaming {
  @Override
  public boolean cuts(@Nullable String contentType) {
    return !"text/whole".equals(contentType);
  }

  @Override
  public BodyCutter cutter() {
    return new Lines(mostItems);
  }

  private static final class Lines implements BodyCutter {
    private final int mostItems;
    private int at;
    private int cut;
    private int items;

    Lines(int mostItems) {
      this.mostItems = mostItems;
    }

    @Override
    public void read(byte[] array, int to) {
      for (; at < to && !full(); at++) {
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
      return items == mostItems;
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
    public void restart(int from) {
      at = from;
      cut = from;
      items = 0;
    }
  }
}
