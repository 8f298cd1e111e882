package dev.weir.rest;

import dev.weir.model.ClientIdentity;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The thread-context headers that a request sends with every call to a node. Pure. */
final class TransportHeaders {
  private TransportHeaders() {}

  /**
   * Adds the user's headers.
   *
   * @param headers those that a node copies from a request; never the user's
   * @param identity null where nodes do not authorize clients
   */
  static Map<String, String> merge(Map<String, String> headers, @Nullable ClientIdentity identity) {
    if (identity == null) {
      return headers;
    }
    Map<String, String> merged = new HashMap<>(headers);
    merged.putAll(identity.transportHeaders());
    return merged;
  }
}
