package dev.weir.it.columnar;

import static dev.weir.it.columnar.ExpectedRows.list;
import static dev.weir.it.columnar.ExpectedRows.map;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Computes the expected tables from the aggregations of a plain response. */
final class ExpectedTables {
  private static final Set<String> OWN =
      Set.of("doc_count_error_upper_bound", "sum_other_doc_count", "after_key");

  private final Map<String, List<Map<String, Object>>> byPath = new LinkedHashMap<>();

  private ExpectedTables() {}

  static Map<String, List<Map<String, Object>>> expected(Map<String, Object> plain) {
    ExpectedTables tables = new ExpectedTables();
    Map<String, Object> root = new HashMap<>();
    tables.byPath.put("_root", new ArrayList<>(List.of(root)));
    tables.members("", "", map(plain.get("aggregations")), Map.of(), root);
    return tables.byPath;
  }

  private void members(
      String path,
      String prefix,
      Map<String, Object> aggregations,
      Map<String, Object> keys,
      Map<String, Object> row) {
    aggregations.forEach((name, each) -> {
      Map<String, Object> aggregation = map(each);
      String label = prefix + name;
      if (aggregation.containsKey("buckets")) {
        OWN.forEach(own -> flatten(label + "." + own, aggregation.get(own), row));
        buckets(path.isEmpty() ? label : path + ">" + label, label, aggregation, keys);
      } else if (aggregation.containsKey("doc_count")) {
        row.put(label + ".doc_count", aggregation.get("doc_count"));
        Map<String, Object> inner = new LinkedHashMap<>(aggregation);
        inner.remove("doc_count");
        members(path, label + ">", inner, keys, row);
      } else {
        aggregation.forEach(
            (key, value) -> flatten(key.equals("value") ? label : label + "." + key, value, row));
      }
    });
  }

  private void buckets(
      String path, String label, Map<String, Object> aggregation, Map<String, Object> outer) {
    byPath.putIfAbsent(path, new ArrayList<>());
    if (aggregation.get("buckets") instanceof Map<?, ?> named) {
      named.forEach((name, bucket) -> {
        Map<String, Object> keyed = new LinkedHashMap<>(map(bucket));
        keyed.put("key", name);
        bucket(path, label, keyed, outer);
      });
    } else {
      list(aggregation.get("buckets")).forEach(bucket -> bucket(path, label, map(bucket), outer));
    }
  }

  private void bucket(
      String path, String label, Map<String, Object> bucket, Map<String, Object> outer) {
    Map<String, Object> keys = new HashMap<>(outer);
    Map<String, Object> row = new HashMap<>();
    Map<String, Object> inner = new LinkedHashMap<>();
    bucket.forEach((name, value) -> {
      switch (name) {
        case "key" -> flatten(label, value, keys);
        case "key_as_string" -> {
          if (!(bucket.get("key") instanceof List<?>)) {
            keys.put(label + ".key_as_string", value);
          }
        }
        case "doc_count" -> row.put("doc_count", value);
        case "from", "to" -> {
          boolean date = bucket.containsKey(name + "_as_string") && value.toString().contains("E");
          row.put(label + "." + name, date ? ((Number) value).longValue() : value);
        }
        case "from_as_string", "to_as_string" -> {}
        default -> inner.put(name, value);
      }
    });
    row.putAll(keys);
    byPath.computeIfAbsent(path, _ -> new ArrayList<>()).add(row);
    members(path, "", inner, keys, row);
  }

  private static void flatten(String name, @Nullable Object value, Map<String, Object> row) {
    if (value instanceof Map<?, ?> members) {
      members.forEach(
          (key, each) -> flatten(key.equals("value") ? name : name + "." + key, each, row));
    } else if (value != null) {
      row.put(name, value);
    }
  }
}
