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
   * @param dateFormat of a date; empty for none, or the one by default
   * @param isInSource whether documents have it where its path says: not a sub-field or an alias,
   *     nor what lies in an object of a type of its own
   */
  record MappedField(String type, String dateFormat, boolean isInSource) {
    private MappedField withoutSource() {
      return new MappedField(type, dateFormat, false);
    }
  }

  private record FieldAlias(String aliasPath, String targetPath) {}

  private final Map<String, MappedField> byPath = new LinkedHashMap<>();

  /** Objects whose members are fields of their own. */
  private final Set<String> objects = new HashSet<>();

  private MappedFields() {}

  /** Those of a mapping. */
  static MappedFields from(@Nullable MappingMetadata mapping) {
    if (mapping == null) {
      return NONE;
    }
    MappedFields fields = new MappedFields();
    Set<FieldAlias> aliases = new HashSet<>();
    fields.addAll("", mapping.sourceAsMap().get("properties"), aliases, true);
    for (FieldAlias alias : aliases) {
      MappedField field = fields.byPath.get(alias.targetPath);
      if (field != null) {
        fields.byPath.put(alias.aliasPath, field.withoutSource());
      }
    }
    return fields;
  }

  /** How many there are. */
  int size() {
    return byPath.size();
  }

  /** The paths of all, in the order of the mapping. */
  Iterable<Map.Entry<String, MappedField>> entries() {
    return byPath.entrySet();
  }

  /** What is at a path; null where the mapping does not say. */
  @Nullable MappedField find(String path) {
    return byPath.get(path);
  }

  /** Whether an object at a path is one value, not many fields. */
  boolean isSingleValue(String path) {
    return byPath.containsKey(path);
  }

  /** Whether the members of what is at a path are fields of their own. */
  boolean hasSubfields(String path) {
    return objects.contains(path);
  }

  private void addAll(
      String parent, @Nullable Object properties, Set<FieldAlias> aliases, boolean written) {
    if (properties instanceof Map<?, ?> named) {
      named.forEach((name, mapped) -> {
        if (mapped instanceof Map<?, ?> field) {
          add(parent.isEmpty() ? name.toString() : parent + "." + name, field, aliases, written);
        }
      });
    }
  }

  private void add(String path, Map<?, ?> field, Set<FieldAlias> aliases, boolean written) {
    Object said = field.get("type");
    String type = said == null ? "object" : said.toString();
    switch (type) {
      case "object" -> {
        if (isDisabled(field)) {
          byPath.put(path, new MappedField(type, "", written));
        } else {
          objects.add(path);
          addAll(path, field.get("properties"), aliases, written);
        }
      }
      case "nested" -> {
        byPath.put(path, new MappedField(type, "", written));
        addAll(path, field.get("properties"), aliases, false);
      }
      case "alias" -> aliases.add(new FieldAlias(path, String.valueOf(field.get("path"))));
      default -> {
        Object format = field.get("format");
        byPath.put(path, new MappedField(type, format == null ? "" : format.toString(), written));
        addAll(path, field.get("fields"), aliases, false);
      }
    }
  }

  private static boolean isDisabled(Map<?, ?> field) {
    Object enabled = field.get("enabled");
    return enabled != null && !Boolean.parseBoolean(enabled.toString());
  }
}
