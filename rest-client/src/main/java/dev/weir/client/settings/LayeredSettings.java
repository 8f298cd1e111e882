package dev.weir.client.settings;

import dev.weir.client.JsonTree;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a cluster in their layers. Immutable.
 *
 * @param persistent set by a call, and kept over restarts
 * @param temporary set by a call as {@code transient}: they win over persistent ones
 * @param defaults of OpenSearch, or of the configuration file of the elected cluster manager
 */
public record LayeredSettings(
    Map<String, String> persistent, Map<String, String> temporary, Map<String, String> defaults) {
  /** Settings of a cluster that sets none. */
  public static final LayeredSettings NONE = new LayeredSettings(Map.of(), Map.of(), Map.of());

  /** Copies the layers. */
  public LayeredSettings {
    persistent = Map.copyOf(persistent);
    temporary = Map.copyOf(temporary);
    defaults = Map.copyOf(defaults);
  }

  /**
   * Reads the settings from a response.
   *
   * @param body of {@code GET _cluster/settings?flat_settings=true}; with {@code
   *     include_defaults=true} it has all three layers
   */
  public static LayeredSettings of(JsonTree body) {
    return new LayeredSettings(
        body.child("persistent").memberTexts(),
        body.child("transient").memberTexts(),
        body.child("defaults").memberTexts());
  }

  /** Returns the value in force; null if the cluster tells none. */
  public @Nullable String find(String key) {
    String set = temporary.get(key);
    if (set == null) {
      set = persistent.get(key);
    }
    return set == null ? defaults.get(key) : set;
  }

  /** Returns the value in force. */
  public String get(String key, String other) {
    String found = find(key);
    return found == null || found.isEmpty() ? other : found;
  }

  /** Returns whether a call has set a value. */
  public boolean isSet(String key) {
    return temporary.containsKey(key) || persistent.containsKey(key);
  }

  /** Returns the settings with a prefix that calls have set, sorted, with the value in force. */
  public Map<String, String> setWithPrefix(String prefix) {
    Map<String, String> found = new TreeMap<>();
    persistent.forEach((key, value) -> {
      if (key.startsWith(prefix) && !value.isEmpty()) {
        found.put(key, value);
      }
    });
    temporary.forEach((key, value) -> {
      if (key.startsWith(prefix) && !value.isEmpty()) {
        found.put(key, value);
      }
    });
    return found;
  }

  /** Returns the body of {@code PUT _cluster/settings} that removes keys from their layers. */
  public String removal(Collection<String> keys) {
    Map<String, String> layers = new LinkedHashMap<>();
    layers.put("persistent", nulls(keys, persistent));
    layers.put("transient", nulls(keys, temporary));
    return layers.entrySet().stream()
        .filter(layer -> !layer.getValue().isEmpty())
        .map(layer -> "\"" + layer.getKey() + "\": {" + layer.getValue() + "}")
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String nulls(Collection<String> keys, Map<String, String> layer) {
    return keys.stream()
        .filter(layer::containsKey)
        .map(key -> "\"" + key + "\": null")
        .collect(Collectors.joining(", "));
  }
}
