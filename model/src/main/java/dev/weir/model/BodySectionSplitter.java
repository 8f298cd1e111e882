package dev.weir.model;

/**
 * Finds the ends of items in a body that arrives in chunks, so that the body can be cut into
 * sections of whole items. Scans an array, at first from index 0. Used by one thread.
 */
public interface BodySectionSplitter {
  /**
   * Continues to scan.
   *
   * @param array contains the bytes of the previous call, followed by new ones
   * @param to the end of the bytes
   */
  void scan(byte[] array, int to);

  /** Returns the end of the last whole item; the start of the scan if there is none. */
  int sectionEnd();

  /** Returns whether the section has enough items to be cut now. */
  boolean isSectionFull();

  /** Returns the number of items before the cut. */
  int items();

  /** Returns the number of lines before the cut. */
  int lines();

  /**
   * Removes the section before the cut and continues with the bytes after it.
   *
   * @param from where these bytes now start, in the same array or in another one
   */
  void restartAt(int from);
}
