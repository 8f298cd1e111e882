package dev.weir.responses.columnar;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.MappingMetadata;

/** What an index's mapping says of the fields of its documents, by dotted path. Immutable. */
final class MappedFields {
  /** An index of which nothing is known. */
  static final MappedFields NONE = new MappedFields();

  /**
   * A field.
   *
   * @param type as the mapping calls it
   * @param format of a date; empty for none, or the one by default
   * @param written whether documents have it where its path says: not a sub-field or an alias, nor
   *     what lies in an object of a type of its own
   */
  record Field(String type, String format, boolean written) {
    private Field unwritten() {
      return new Field(type, format, false);
    }
  }

  private record Alias(String from, String to) {}

  private final Map<String, Field> byPath = new LinkedHashMap<>();

  /** Objects whose members are fields of their own. */
  private final Set<String> objects = new HashSet<>();

  private MappedFields() {}

  /** Those of a mapping. */
  static MappedFields of(@Nullable MappingMetadata mapping) {
    if (mapping == null) {
      return NONE;
    }
    MappedFields fields = new MappedFields();
    Set<Alias> aliases = new HashSet<>();
    fields.addAll("", mapping.sourceAsMap().get("properties"), aliases, true);
    for (Alias alias : aliases) {
      Field field = fields.byPath.get(alias.to);
      if (field != null) {
        fields.byPath.put(alias.from, field.unwritten());
      }
    }
    return fields;
  }

  /** How many there are. */
  int size() {
    return byPath.size();
  }

  /** The paths of all, in the order of the mapping. */
  Iterable<Map.Entry<String, Field>> all() {
    return byPath.entrySet();
  }

  /** What is at a path; null where the mapping does not say. */
  @Nullable Field at(String path) {
    return byPath.get(path);
  }

  /** Whether an object at a path is one value, not many fields. */
  boolean isWhole(String path) {
    return byPath.containsKey(path);
  }

  /** Whether the members of what is at a path are fields of their own. */
  boolean isObject(String path) {
    return objects.contains(path);
  }

  private void addAll(
      String parent, @Nullable Object properties, Set<Alias> aliases, boolean written) {
    if (properties instanceof Map<?, ?> named) {
      named.forEach((name, mapped) -> {
        if (mapped instanceof Map<?, ?> field) {
          add(parent.isEmpty() ? name.toString() : parent + "." + name, field, aliases, written);
        }
      });
    }
  }

  private void add(String path, Map<?, ?> field, Set<Alias> aliases, boolean written) {
    Object said = field.get("type");
    String type = said == null ? "object" : said.toString();
    switch (type) {
      case "object" -> {
        if (isSwitchedOff(field)) {
          byPath.put(path, new Field(type, "", written));
        } else {
          objects.add(path);
          addAll(path, field.get("properties"), aliases, written);
        }
      }
      case "nested" -> {
        byPath.put(path, new Field(type, "", written));
        addAll(path, field.get("properties"), aliases, false);
      }
      case "alias" -> aliases.add(new Alias(path, String.valueOf(field.get("path"))));
      default -> {
        Object format = field.get("format");
        byPath.put(path, new Field(type, format == null ? "" : format.toString(), written));
        addAll(path, field.get("fields"), aliases, false);
      }
    }
  }

  private static boolean isSwitchedOff(Map<?, ?> field) {
    Object enabled = field.get("enabled");
    return enabled != null && !Boolean.parseBoolean(enabled.toString());
  }
}
