package dev.weir.http.body;

import dev.weir.model.BodyStreamingOptions;

/**
 * What a body takes that is worked on while it comes.
 *
 * @param windowBytes bytes that it has at once
 * @param sectionBytes bytes of an array
 * @param maxItemBytes bytes: such a part of the window that it may lie in two arrays while it
 *     grows, with its beginning in a third
 */
public record BodyStreamLimits(long windowBytes, int sectionBytes, long maxItemBytes) {
  private static final int ITEM_SHARE = 4;

  /**
   * What is wanted, as far as it is there.
   *
   * @param bodies bytes that all bodies together may have
   */
  public static BodyStreamLimits negotiate(BodyStreamingOptions wanted, long bodies) {
    long window = Math.min(wanted.maxBufferedBytes(), bodies / 2);
    long item = Math.min(window / ITEM_SHARE, Integer.MAX_VALUE / 2);
    return new BodyStreamLimits(window, (int) Math.min(wanted.sectionBytes(), item), item);
  }
}
