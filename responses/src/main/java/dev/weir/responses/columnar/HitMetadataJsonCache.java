package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.JsonBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The names of indices and the scores of hits as JSON, which are mostly those of the hit before.
 * Used by one thread.
 */
final class HitMetadataJsonCache {
  private final JsonBuffer indexBuffer = new JsonBuffer(64);
  private final JsonBuffer scoreBuffer = new JsonBuffer(16);
  private @Nullable String lastIndex;
  private float lastScore = Float.NaN;

  /** An index's name in quotes; valid until the next one. */
  JsonBuffer quotedIndex(String name) {
    if (!name.equals(lastIndex)) {
      lastIndex = name;
      indexBuffer.clear();
      indexBuffer.writeQuoted(name);
    }
    return indexBuffer;
  }

  /** A score, which is a number; valid until the next one. */
  JsonBuffer scoreJson(float score) {
    if (score != lastScore) {
      lastScore = score;
      scoreBuffer.clear();
      scoreBuffer.writeAscii(Float.toString(score));
    }
    return scoreBuffer;
  }
}
