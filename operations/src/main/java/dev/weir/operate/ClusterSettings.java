package dev.weir.operate;

import dev.weir.model.JsonTextWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of a cluster that operations change for a while, and give back as they found them. A
 * transient setting hides a persistent one, so a change is written where the value was found.
 */
final class ClusterSettings {
  static final String PERSISTENT = "persistent";
  static final String TRANSIENT = "transient";
  static final List<String> SCOPES = List.of(PERSISTENT, TRANSIENT);
  static final String ALLOCATION = "cluster.routing.allocation.enable";
  static final String RECOVERY_RATE = "indices.recovery.max_bytes_per_sec";
  static final String RECOVERY_COUNT = "cluster.routing.allocation.node_concurrent_recoveries";

  private static final List<String> CHANGED = List.of(ALLOCATION, RECOVERY_RATE, RECOVERY_COUNT);

  private ClusterSettings() {}

  /** Those of all settings that an operation may change; empty text for what is not set. */
  static Map<String, String> found(Map<String, String> all) {
    Map<String, String> found = new LinkedHashMap<>();
    for (String key : CHANGED) {
      for (String scope : SCOPES) {
        String name = scope + "." + key;
        found.put(name, all.getOrDefault(name, ""));
      }
    }
    return found;
  }

  /** The value in force; empty for the default. */
  static String effective(Map<String, String> settings, String key) {
    String first = settings.getOrDefault(TRANSIENT + "." + key, "");
    return first.isEmpty() ? settings.getOrDefault(PERSISTENT + "." + key, "") : first;
  }

  /** The change that gives a setting a value, wherever it was found. */
  static Map<String, String> change(Map<String, String> found, String key, String value) {
    Map<String, String> change = new LinkedHashMap<>();
    change.put(PERSISTENT + "." + key, value);
    if (!found.getOrDefault(TRANSIENT + "." + key, "").isEmpty()) {
      change.put(TRANSIENT + "." + key, value);
    }
    return change;
  }

  /** The change that gives some settings back. */
  static Map<String, String> restored(Map<String, String> found, String... keys) {
    Map<String, String> change = new LinkedHashMap<>();
    for (String key : keys) {
      for (String scope : SCOPES) {
        String name = scope + "." + key;
        if (found.containsKey(name)) {
          change.put(name, found.getOrDefault(name, ""));
        }
      }
    }
    return change;
  }

  /** The change that gives all settings back. */
  static Map<String, String> restored(Map<String, String> found) {
    return restored(found, CHANGED.toArray(String[]::new));
  }

  /** The body of {@code PUT _cluster/settings}; empty text becomes null. */
  static String body(Map<String, String> values) {
    JsonTextWriter json = new JsonTextWriter(JsonTextWriter.Layout.COMPACT).open('{');
    for (String scope : SCOPES) {
      json.name(scope).open('{');
      values.forEach((name, value) -> {
        if (name.startsWith(scope + ".")) {
          json.name(name.substring(scope.length() + 1)).value(value.isEmpty() ? null : value);
        }
      });
      json.close('}');
    }
    return json.close('}').finish();
  }
}
