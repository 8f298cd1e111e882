package dev.weir.advice.check;

import dev.weir.client.settings.LayeredSettings;

/** Bodies of {@code PUT _cluster/settings}. */
final class Bodies {
  private Bodies() {}

  /** Sets a persistent value, and removes a transient one, which would win over it. */
  static String persistent(LayeredSettings settings, String key, String value) {
    String set = "{\"persistent\": {\"" + key + "\": \"" + value + "\"}";
    return settings.temporary().containsKey(key)
        ? set + ", \"transient\": {\"" + key + "\": null}}"
        : set + "}";
  }
}
