package dev.weir.model;

/**
 * Finds in a body that comes piece by piece where items end, so that it can be cut there. Reads
 * bytes that lie in an array, at first from its beginning. Used by one thread.
 */
public interface BodySectionSplitter {
  /**
   * Reads on.
   *
   * @param array the same bytes as before, and more
   * @param to where they end
   */
  void scan(byte[] array, int to);

  /** Where the last whole item ends that was read; where it began to read when there is none. */
  int sectionEnd();

  /** Whether so many items were read that the body must be cut now. */
  boolean isSectionFull();

  /** How many items were read that are before the cut. */
  int items();

  /** How many lines were read that are before the cut. */
  int lines();

  /**
   * What is before the cut was taken away: reads what followed it.
   *
   * @param from where it lies, in the same array or in another one
   */
  void restartAt(int from);
}
