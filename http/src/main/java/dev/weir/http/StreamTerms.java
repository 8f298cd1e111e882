package dev.weir.http;

import dev.weir.model.BodyStreaming;

/**
 * What a body takes that is worked on while it comes.
 *
 * @param window bytes that it has at once
 * @param section bytes of an array
 * @param longestItem bytes: such a part of the window that it may lie in two arrays while it grows,
 *     with its beginning in a third
 */
record StreamTerms(long window, int section, long longestItem) {
  private static final int ITEM_SHARE = 4;

  /**
   * What is wanted, as far as it is there.
   *
   * @param bodies bytes that all bodies together may have
   */
  static StreamTerms of(BodyStreaming wanted, long bodies) {
    long window = Math.min(wanted.windowBytes(), bodies / 2);
    long item = Math.min(window / ITEM_SHARE, Integer.MAX_VALUE / 2);
    return new StreamTerms(window, (int) Math.min(wanted.sectionBytes(), item), item);
  }
}
