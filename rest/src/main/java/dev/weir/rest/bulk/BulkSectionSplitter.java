package dev.weir.rest.bulk;

import dev.weir.model.BodySectionSplitter;

/**
 * Finds the boundaries between the items of a bulk while its body arrives, with {@link
 * BulkLineScanner}. It splits after a malformed action line, which OpenSearch's parser rejects.
 */
public final class BulkSectionSplitter implements BodySectionSplitter {
  /** The maximum number of items of a section; their memory and responses are handled together. */
  static final int MAX_ITEMS = 4096;

  private final BulkLineScanner line = new BulkLineScanner();
  private final int maxItems;
  private int readTo;
  private int lineStart;
  private int linesRead;
  private boolean expectsSource;
  private int cut;
  private int items;
  private int lines;
  private boolean full;

  public BulkSectionSplitter() {
    this(MAX_ITEMS);
  }

  BulkSectionSplitter(int mostItems) {
    this.maxItems = mostItems;
  }

  @Override
  public void scan(byte[] array, int to) {
    while (!full) {
      int newline = BulkLineScanner.findNewline(array, readTo, to);
      if (newline < 0) {
        readTo = to;
        return;
      }
      readLine(array, newline);
      readTo = newline + 1;
      lineStart = readTo;
    }
  }

  private void readLine(byte[] array, int newline) {
    linesRead++;
    if (expectsSource) {
      expectsSource = false;
      countItem(newline);
      return;
    }
    switch (line.readAnyAction(array, lineStart, newline)) {
      case BLANK -> {
        if (items > 0) {
          cutAfter(newline);
        }
      }
      case DELETE -> countItem(newline);
      case INDEX, CREATE, UPDATE -> expectsSource = true;
      case MALFORMED, UNCOMMON -> {
        cutAfter(newline);
        full = true;
      }
    }
  }

  private void countItem(int newline) {
    items++;
    full = items == maxItems;
    cutAfter(newline);
  }

  private void cutAfter(int newline) {
    cut = newline + 1;
    lines = linesRead;
  }

  @Override
  public int sectionEnd() {
    return cut;
  }

  @Override
  public boolean isSectionFull() {
    return full;
  }

  @Override
  public int items() {
    return items;
  }

  @Override
  public int lines() {
    return lines;
  }

  @Override
  public void restartAt(int from) {
    readTo = from;
    lineStart = from;
    linesRead = 0;
    expectsSource = false;
    cut = from;
    items = 0;
    lines = 0;
    full = false;
  }
}
