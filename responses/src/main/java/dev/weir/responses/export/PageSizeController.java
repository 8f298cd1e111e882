package dev.weir.responses.export;

/**
 * Chooses the number of rows of a page, so that the page has about the target bytes, judged by the
 * pages before. The number grows in steps and falls at once. Used by one thread.
 */
final class PageSizeController {
  private static final int INITIAL_ROWS = 100;
  private static final int GROWTH_FACTOR = 8;

  /** The number of pages after a rejection that do not grow beyond the reduced size. */
  private static final int REDUCED_PAGES = 16;

  private final long targetBytes;
  private final int maxRows;
  private int rows;
  private int currentMaxRows;
  private int remainingReducedPages;

  /**
   * Starts with a small page.
   *
   * @param bytes the target size of a page
   * @param most the maximum number of rows of a search
   */
  PageSizeController(long bytes, int most) {
    this.targetBytes = bytes;
    this.maxRows = Math.max(1, most);
    this.currentMaxRows = this.maxRows;
    this.rows = Math.min(INITIAL_ROWS, this.maxRows);
  }

  int rows() {
    return rows;
  }

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

  /** Reduces the size after a page of that many rows was rejected. */
  void reduceAfterRejection(int ofRows) {
    currentMaxRows = Math.max(1, ofRows / GROWTH_FACTOR);
    rows = Math.min(rows, currentMaxRows);
    remainingReducedPages = REDUCED_PAGES;
  }
}
