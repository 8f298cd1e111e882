package dev.weir.operate;

import dev.weir.model.JsonTextWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of a cluster that operations change for a while, and restore. A transient setting
 * hides a persistent one, so a change is written wherever there was a value.
 */
final class ClusterSettings {
  static final String PERSISTENT = "persistent";
  static final String TRANSIENT = "transient";
  static final List<String> SCOPES = List.of(PERSISTENT, TRANSIENT);

  static final String ALLOCATION = "cluster.routing.allocation.enable";
  static final String RECOVERY_RATE = "indices.recovery.max_bytes_per_sec";
  static final String RECOVERY_COUNT = "cluster.routing.allocation.node_concurrent_recoveries";

  /** Whether searches that name nodes are rejected while zones have weights. */
  static final String STRICT_ZONES = "cluster.routing.weighted.strict";

  private static final List<String> CHANGED =
      List.of(ALLOCATION, RECOVERY_RATE, RECOVERY_COUNT, STRICT_ZONES);

  private ClusterSettings() {}

  /** Those of all settings that an operation may change; empty text for what is not set. */
  static Map<String, String> snapshot(OperationKind kind, Map<String, String> all) {
    List<String> changed =
        switch (kind) {
          case RESTART_NODE, ROLLING_RESTART -> CHANGED;
          case WINDOW -> List.of(STRICT_ZONES);
          case MOVE_MANAGER -> List.of();
        };
    Map<String, String> snapshot = new LinkedHashMap<>();
    for (String key : changed) {
      for (String scope : SCOPES) {
        String name = scope + "." + key;
        snapshot.put(name, all.getOrDefault(name, ""));
      }
    }
    return snapshot;
  }

  /** The value in force; empty for the default. */
  static String effective(Map<String, String> settings, String key) {
    String first = settings.getOrDefault(TRANSIENT + "." + key, "");
    return first.isEmpty() ? settings.getOrDefault(PERSISTENT + "." + key, "") : first;
  }

  /** The change that gives a setting a value in every scope that has one. */
  static Map<String, String> change(Map<String, String> previous, String key, String value) {
    Map<String, String> change = new LinkedHashMap<>();
    change.put(PERSISTENT + "." + key, value);
    if (!previous.getOrDefault(TRANSIENT + "." + key, "").isEmpty()) {
      change.put(TRANSIENT + "." + key, value);
    }
    return change;
  }

  /** The change that gives some settings back. */
  static Map<String, String> restored(Map<String, String> previous, String... keys) {
    Map<String, String> change = new LinkedHashMap<>();
    for (String key : keys) {
      for (String scope : SCOPES) {
        String name = scope + "." + key;
        if (previous.containsKey(name)) {
          change.put(name, previous.getOrDefault(name, ""));
        }
      }
    }
    return change;
  }

  /**
   * The change that gives settings back while a zone may still have no weight: {@link
   * #STRICT_ZONES} stays, so that searches that name nodes still find them.
   */
  static Map<String, String> restoredExceptZones(Map<String, String> previous) {
    return restored(previous, ALLOCATION, RECOVERY_RATE, RECOVERY_COUNT);
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
