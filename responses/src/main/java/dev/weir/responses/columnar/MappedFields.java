package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.ColumnTypes;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.MappingMetadata;

/** The fields of one index's mapping, by dotted path. Immutable. */
final class MappedFields {
  /** The mapping of an unknown index. */
  static final MappedFields NONE = new MappedFields();

  /**
   * A field of a mapping.
   *
   * @param type the mapping's name of the type
   * @param dateFormat the format of a date field; empty for the default or for no date
   * @param isInSource documents contain the field at its path; false for sub-fields, aliases, and
   *     members of an object field with a type of its own
   */
  record MappedField(String type, String dateFormat, boolean isInSource) {
    private MappedField withoutSource() {
      return new MappedField(type, dateFormat, false);
    }
  }

  private record FieldAlias(String aliasPath, String targetPath) {}

  private final Map<String, MappedField> byPath = new LinkedHashMap<>();

  /** The paths of objects with members that are fields of their own. */
  private final Set<String> objects = new HashSet<>();

  private MappedFields() {}

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

  int size() {
    return byPath.size();
  }

  /** Returns the fields by path, in the order of the mapping. */
  Iterable<Map.Entry<String, MappedField>> entries() {
    return byPath.entrySet();
  }

  /** Returns the field at a path; null if the mapping has none. */
  @Nullable MappedField find(String path) {
    return byPath.get(path);
  }

  /** Returns true if an object at this path is one value instead of several fields. */
  boolean isSingleValue(String path) {
    return byPath.containsKey(path);
  }

  /** Returns true if the members of the object at this path are fields of their own. */
  boolean hasSubfields(String path) {
    return objects.contains(path);
  }

  /** Returns true if the mapping declares members of the objects at this path. */
  boolean hasMembers(String path) {
    MappedField field = byPath.get(path);
    return field == null ? objects.contains(path) : field.type().equals(ColumnTypes.NESTED);
  }

  /**
   * Declares the members of the objects at this path, and the members of those, in the order of the
   * mapping; sub-fields are none.
   */
  void declareMembers(String path, Column column) {
    String prefix = path + ".";
    byPath.forEach((name, field) -> {
      if (name.startsWith(prefix)) {
        declareMember(path, name, field, column);
      }
    });
  }

  private void declareMember(String objectPath, String path, MappedField field, Column objects) {
    Column parent = objects;
    int start = objectPath.length() + 1;
    for (int dot = path.indexOf('.', start); dot >= 0; dot = path.indexOf('.', start)) {
      String parentPath = path.substring(0, dot);
      MappedField above = byPath.get(parentPath);
      if (above != null && !above.type().equals(ColumnTypes.NESTED)) {
        return; // a sub-field, or a member of an object with a type of its own
      }
      boolean isKnown = parent.members().containsKey(path.substring(start, dot));
      parent = parent.member(path.substring(start, dot));
      if (!isKnown && above == null) {
        parent.declare(ColumnTypes.OBJECT, "");
      }
      start = dot + 1;
    }
    parent.member(path.substring(start)).declare(field.type(), field.dateFormat());
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
