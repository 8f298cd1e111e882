package dev.weir.http;

import dev.weir.model.BodySectionSplitter;
import dev.weir.model.BodyStreamingOptions;
import org.jspecify.annotations.Nullable;

/**
 * Bodies whose items are lines.
 *
 * @param mostItems the largest number of items of a section
 */
public record LineStreaming(
    long thresholdBytes, int sectionBytes, long maxBufferedBytes, int mostItems)
    implements BodyStreamingOptions {
  @Override
  public boolean canSplit(@Nullable String contentType) {
    return !"text/whole".equals(contentType);
  }

  @Override
  public BodySectionSplitter newSplitter() {
    return new Lines(mostItems);
  }

  private static final class Lines implements BodySectionSplitter {
    private final int mostItems;
    private int at;
    private int cut;
    private int items;

    Lines(int mostItems) {
      this.mostItems = mostItems;
    }

    @Override
    public void scan(byte[] array, int to) {
      for (; at < to && !isSectionFull(); at++) {
        if (array[at] == '\n') {
          items++;
          cut = at + 1;
        }
      }
    }

    @Override
    public int sectionEnd() {
      return cut;
    }

    @Override
    public boolean isSectionFull() {
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
    public void restartAt(int from) {
      at = from;
      cut = from;
      items = 0;
    }
  }
}
