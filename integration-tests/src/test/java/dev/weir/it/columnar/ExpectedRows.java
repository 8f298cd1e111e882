package dev.weir.it.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;

/** Hits as rows of columns by name: those of a columnar response, and the expected ones. */
final class ExpectedRows {
  private ExpectedRows() {}

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(@Nullable Object value) {
    return value == null ? Map.of() : (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(@Nullable Object value) {
    return value == null ? List.of() : (List<Object>) value;
  }

  static Map<String, Object> json(String text) {
    return XContentHelper.convertToMap(JsonXContent.jsonXContent, text, true);
  }

  /** Returns the names and types of a response's columns. */
  static Map<String, String> types(Map<String, Object> answer) {
    Map<String, String> types = new LinkedHashMap<>();
    for (Object column : list(answer.get("columns"))) {
      String name = String.valueOf(map(column).get("name"));
      assertThat(types.put(name, String.valueOf(map(column).get("type")))).as(name).isNull();
    }
    return types;
  }

  /** Returns the rows of a columnar response; no entry for no value. */
  static List<Map<String, Object>> decodeColumns(Map<String, Object> answer) {
    List<String> names = List.copyOf(types(answer).keySet());
    List<Object> values = list(answer.get("values"));
    assertThat(values).hasSameSizeAs(names);
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      List<Object> column = list(values.get(i));
      for (int row = 0; row < column.size(); row++) {
        if (i == 0) {
          rows.add(new HashMap<>());
        }
        Object value = column.get(row);
        if (value != null) {
          rows.get(row).put(names.get(i), value);
        }
      }
      assertThat(column).as(names.get(i)).hasSameSizeAs(rows);
    }
    return rows;
  }

  /** Computes the expected rows from the hits of a plain response. */
  static List<Map<String, Object>> expected(
      Map<String, Object> plain, Set<String> whole, boolean documents) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Object each : list(map(plain.get("hits")).get("hits"))) {
      Map<String, Object> hit = map(each);
      Map<String, Object> row = new HashMap<>();
      hit.forEach((key, value) -> {
        boolean known = Set.of("_source", "fields", "sort").contains(key);
        if (value != null && !known) {
          row.put(key, value);
        }
      });
      Set<String> fields = new HashSet<>();
      map(hit.get("fields"))
          .forEach((name, values) -> {
            List<Object> all = list(values);
            Object value = all.size() == 1 ? all.get(0) : all;
            if (value != null && !all.isEmpty()) {
              row.put(name, value);
              fields.add(name);
            }
          });
      if (documents) {
        Map<String, Object> source = new LinkedHashMap<>();
        flatten("", map(hit.get("_source")), whole, source);
        source.forEach((name, value) -> {
          if (!fields.contains(name)) {
            row.put(name, value);
          }
        });
      }
      rows.add(row);
    }
    return rows;
  }

  private static void flatten(
      String parent, Map<String, Object> object, Set<String> whole, Map<String, Object> into) {
    object.forEach((key, value) -> {
      String path = parent.isEmpty() ? key : parent + "." + key;
      if (value instanceof Map<?, ?> && !whole.contains(path)) {
        flatten(path, map(value), whole, into);
      } else if (value != null) {
        into.put(path, value);
      }
    });
  }

  /** Returns the paths of a mapping at which an object is a single value. */
  static Set<String> completeFields(Map<String, Object> properties) {
    Set<String> whole = new HashSet<>();
    addWhole("", properties, whole);
    return whole;
  }

  private static void addWhole(String parent, Map<String, Object> properties, Set<String> whole) {
    properties.forEach((name, mapped) -> {
      String path = parent.isEmpty() ? name : parent + "." + name;
      Map<String, Object> field = map(mapped);
      Object type = field.get("type");
      boolean object = type == null || type.equals("object");
      if (object && !Boolean.FALSE.equals(field.get("enabled"))) {
        addWhole(path, map(field.get("properties")), whole);
      } else {
        whole.add(path);
      }
    });
  }
}
