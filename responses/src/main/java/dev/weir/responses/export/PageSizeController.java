package dev.weir.responses.export;

/**
 * How many rows are asked for at once: as many as take the bytes that a page is meant to have, by
 * the pages before. It grows by steps, and falls at once. Used by one thread.
 */
final class PageSizeController {
  private static final int INITIAL_ROWS = 100;
  private static final int GROWTH_FACTOR = 8;

  /**
   * A page that was too much is followed by so many that do not grow beyond the size it fell to.
   */
  private static final int REDUCED_PAGES = 16;

  private final long targetBytes;
  private final int maxRows;
  private int rows;
  private int currentMaxRows;
  private int remainingReducedPages;

  /**
   * Begins with a small one.
   *
   * @param bytes that a page is meant to have
   * @param most rows that a search may ask for
   */
  PageSizeController(long bytes, int most) {
    this.targetBytes = bytes;
    this.maxRows = Math.max(1, most);
    this.currentMaxRows = this.maxRows;
    this.rows = Math.min(INITIAL_ROWS, this.maxRows);
  }

  /** Rows to ask for. */
  int rows() {
    return rows;
  }

  /** A page had so many bytes. */
  void recordPage(int ofRows, long ofBytes) {
    if (remainingReducedPages > 0 && --remainingReducedPages == 0) {
      currentMaxRows = maxRows;
    }
    if (ofRows > 0) {
      long fitting = targetBytes * ofRows / Math.max(1, ofBytes);
      rows =
          (int)
              Math.max(1, Math.min(fitting, Math.min(currentMaxRows, (long) rows * GROWTH_FACTOR)));
    }
  }

  /** There was no room for a page of so many rows. */
  void reduceAfterRejection(int ofRows) {
    currentMaxRows = Math.max(1, ofRows / GROWTH_FACTOR);
    rows = Math.min(rows, currentMaxRows);
    remainingReducedPages = REDUCED_PAGES;
  }
}
