package dev.weir.http.body;

import dev.weir.model.BodyStreamingOptions;

/**
 * The memory limits of a body that is processed while it arrives.
 *
 * @param windowBytes all arrays of the body together
 * @param sectionBytes the initial size of one array
 * @param maxItemBytes the longest item; a quarter of the window, because a growing item may occupy
 *     its old and its new array, and its beginning a third
 */
public record BodyStreamLimits(long windowBytes, int sectionBytes, long maxItemBytes) {
  private static final int ITEM_SHARE = 4;

  /**
   * Returns the configured limits, lowered to what the memory for bodies allows.
   *
   * @param bodies the memory limit of all bodies together, in bytes
   */
  public static BodyStreamLimits negotiate(BodyStreamingOptions wanted, long bodies) {
    long window = Math.min(wanted.maxBufferedBytes(), bodies / 2);
    long item = Math.min(window / ITEM_SHARE, Integer.MAX_VALUE / 2);
    return new BodyStreamLimits(window, (int) Math.min(wanted.sectionBytes(), item), item);
  }
}
