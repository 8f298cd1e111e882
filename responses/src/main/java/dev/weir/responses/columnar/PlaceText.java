package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.JsonBytes;
import org.jspecify.annotations.Nullable;

/**
 * The names of indices and the scores of hits as JSON, which are mostly those of the hit before.
 * Used by one thread.
 */
final class PlaceText {
  private final JsonBytes indexName = new JsonBytes(64);
  private final JsonBytes scoreText = new JsonBytes(16);
  private @Nullable String indexNamed;
  private float scored = Float.NaN;

  /** An index's name in quotes; valid until the next one. */
  JsonBytes index(String name) {
    if (!name.equals(indexNamed)) {
      indexNamed = name;
      indexName.clear();
      indexName.quote(name);
    }
    return indexName;
  }

  /** A score, which is a number; valid until the next one. */
  JsonBytes score(float score) {
    if (score != scored) {
      scored = score;
      scoreText.clear();
      scoreText.ascii(Float.toString(score));
    }
    return scoreText;
  }
}
