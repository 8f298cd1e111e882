package dev.weir.responses.export;

/**
 * How many rows are asked for at once: as many as take the bytes that a page is meant to have, by
 * the pages before. It grows by steps, and falls at once. Used by one thread.
 */
final class PageSize {
  private static final int FIRST = 100;
  private static final int GROWTH = 8;

  /**
   * A page that was too much is followed by so many that do not grow beyond the size it fell to.
   */
  private static final int HUMBLE_PAGES = 16;

  private final long bytes;
  private final int most;
  private int rows;
  private int bound;
  private int humble;

  /**
   * Begins with a small one.
   *
   * @param bytes that a page is meant to have
   * @param most rows that a search may ask for
   */
  PageSize(long bytes, int most) {
    this.bytes = bytes;
    this.most = Math.max(1, most);
    this.bound = this.most;
    this.rows = Math.min(FIRST, this.most);
  }

  /** Rows to ask for. */
  int rows() {
    return rows;
  }

  /** A page had so many bytes. */
  void saw(int ofRows, long ofBytes) {
    if (humble > 0 && --humble == 0) {
      bound = most;
    }
    if (ofRows > 0) {
      long fitting = bytes * ofRows / Math.max(1, ofBytes);
      rows = (int) Math.max(1, Math.min(fitting, Math.min(bound, (long) rows * GROWTH)));
    }
  }

  /** There was no room for a page of so many rows. */
  void tooMuch(int ofRows) {
    bound = Math.max(1, ofRows / GROWTH);
    rows = Math.min(rows, bound);
    humble = HUMBLE_PAGES;
  }
}
