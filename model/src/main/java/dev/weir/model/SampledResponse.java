package dev.weir.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A search response that may be estimated from a part of its shards. */
public interface SampledResponse {
  /** The name of the response's JSON section about the estimate. */
  String JSON_FIELD = "_sampling";

  /** Returns the content of that section; null if the response is not estimated. */
  @Nullable Map<String, Object> sampling();
}
