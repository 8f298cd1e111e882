package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.JsonBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Caches index names and scores as JSON, because they mostly equal those of the previous hit. Used
 * by one thread.
 */
final class HitMetadataJsonCache {
  private final JsonBuffer indexBuffer = new JsonBuffer(64);
  private final JsonBuffer scoreBuffer = new JsonBuffer(16);
  private @Nullable String lastIndex;
  private float lastScore = Float.NaN;

  /** Returns an index's name as a JSON string; valid until the next call. */
  JsonBuffer quotedIndex(String name) {
    if (!name.equals(lastIndex)) {
      lastIndex = name;
      indexBuffer.clear();
      indexBuffer.writeQuoted(name);
    }
    return indexBuffer;
  }

  /** Returns a score as JSON; valid until the next call. The score must not be NaN. */
  JsonBuffer scoreJson(float score) {
    if (score != lastScore) {
      lastScore = score;
      scoreBuffer.clear();
      scoreBuffer.writeAscii(Float.toString(score));
    }
    return scoreBuffer;
  }
}
