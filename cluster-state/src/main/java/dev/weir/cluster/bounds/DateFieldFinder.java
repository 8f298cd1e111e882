package dev.weir.cluster.bounds;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;

/**
 * Finds fields whose ranges the gateway can evaluate like a shard: millisecond dates, outside of
 * nested documents, whose mapping has only parameters that are known here.
 */
final class DateFieldFinder {
  /** Parameters of a date field that do not change the meaning of ranges. */
  private static final Set<String> KNOWN_PARAMETERS =
      Set.of(
          "type",
          "format",
          "doc_values",
          "index",
          "store",
          "ignore_malformed",
          "null_value",
          "print_format",
          "skip_list",
          "boost",
          "meta",
          "fields",
          "copy_to");

  private DateFieldFinder() {}

  /** Returns the format of a date field, empty for the default; null if it is no such field. */
  static @Nullable String findFormat(IndexMetadata index, String field) {
    MappingMetadata mapping = index.mapping();
    if (mapping == null) {
      return null;
    }
    Map<String, Object> root = mapping.sourceAsMap();
    Map<?, ?> derived = asMap(root.get("derived"));
    if (derived != null && derived.containsKey(field)) {
      return null;
    }
    Map<?, ?> found = findField(root, field);
    if (found == null
        || !"date".equals(found.get("type"))
        || !KNOWN_PARAMETERS.containsAll(found.keySet())
        || "false".equals(String.valueOf(found.get("doc_values")))) {
      return null;
    }
    Object format = found.get("format");
    return format == null ? "" : format.toString();
  }

  /** Returns the field's definition, also if objects are written with dots in their names. */
  private static @Nullable Map<?, ?> findField(Map<?, ?> object, String path) {
    Map<?, ?> properties = asMap(object.get("properties"));
    if (properties == null) {
      return null;
    }
    Map<?, ?> whole = asMap(properties.get(path));
    if (whole != null) {
      return whole;
    }
    for (int dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
      Map<?, ?> inner = asMap(properties.get(path.substring(0, dot)));
      Object type = inner == null ? null : inner.get("type");
      if (inner != null && (type == null || "object".equals(type))) {
        Map<?, ?> found = findField(inner, path.substring(dot + 1));
        if (found != null) {
          return found;
        }
      }
    }
    return null;
  }

  private static @Nullable Map<?, ?> asMap(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : null;
  }
}
