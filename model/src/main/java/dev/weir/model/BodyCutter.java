package dev.weir.model;

/**
 * Finds in a body that comes piece by piece where items end, so that it can be cut there. Reads
 * bytes that lie in an array from its beginning; what follows the cut is read again at the
 * beginning of the next array. Used by one thread.
 */
public interface BodyCutter {
  /**
   * Reads on.
   *
   * @param array the same bytes as before, and more
   * @param to where they end
   */
  void read(byte[] array, int to);

  /** Where the last whole item ends that was read; 0 when there is none. */
  int cut();

  /** Whether so many items were read that the body must be cut now. */
  boolean full();

  /** How many items are before the cut. */
  int items();

  /** How many lines are before the cut. */
  int lines();

  /**
   * What is before the cut was taken away: reads what followed it from the beginning of an array.
   */
  void restart();
}
