package dev.weir.core.reduce.hits;

import dev.weir.model.JsonBuffer;

/**
 * Scores as JSON. It keeps the last one, because the hits of a page often have the same score. Used
 * by one thread.
 */
public final class ScoreJsonCache {
  private static final byte[] NULL = JsonBuffer.toAscii("null");

  private int lastBits = Float.floatToRawIntBits(Float.NaN);
  private byte[] lastJson = NULL;

  /** Returns a finite score, or {@code null} for NaN. */
  public byte[] jsonOf(float score) {
    int bits = Float.floatToRawIntBits(score);
    if (bits != lastBits) {
      lastBits = bits;
      lastJson = Float.isNaN(score) ? NULL : JsonBuffer.toAscii(Float.toString(score));
    }
    return lastJson;
  }
}
