package dev.weir.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An answer to a search that may have been estimated from a part of its shards. */
public interface SampledResponse {
  /** The member of such an answer that tells how it was made. */
  String JSON_FIELD = "_sampling";

  /** How it was estimated, as maps to be written as JSON; null where it was not. */
  @Nullable Map<String, Object> sampling();
}
