package dev.weir.it;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;

/** Reads the figures of a search's response, and their bounds, by path. */
final class SampledFigures {
  private static final List<String> STATS = List.of("count", "min", "max", "avg", "sum");

  private SampledFigures() {}

  /** A figure and its bounds; an exact figure has none. */
  record Figure(double value, @Nullable Number lower, @Nullable Number upper) {
    static Figure of(@Nullable Object value, @Nullable Object bounds) {
      Map<String, Object> both = bounds == null ? Map.of() : map(bounds);
      return new Figure(
          ((Number) Objects.requireNonNull(value)).doubleValue(),
          (Number) both.get("lower"),
          (Number) both.get("upper"));
    }

    /** Returns whether both bounds are known and the truth lies between them. */
    boolean holds(Figure truth) {
      return lower != null && upper != null && admits(truth);
    }

    /** Returns whether no known bound excludes the truth. */
    boolean admits(Figure truth) {
      return (lower == null || lower.doubleValue() <= truth.value)
          && (upper == null || truth.value <= upper.doubleValue());
    }
  }

  static Map<String, Object> json(String text) {
    return XContentHelper.convertToMap(JsonXContent.jsonXContent, text, true);
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(@Nullable Object value) {
    return (Map<String, Object>) Objects.requireNonNull(value);
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(@Nullable Object value) {
    return (List<Object>) Objects.requireNonNull(value);
  }

  static Map<String, Object> at(Map<String, Object> answer, String... path) {
    Map<String, Object> here = answer;
    for (String name : path) {
      here = map(here.get(name));
    }
    return here;
  }

  /** Returns all figures of a response by path. */
  static Map<String, Figure> of(Map<String, Object> answer) {
    Map<String, Figure> figures = new HashMap<>();
    Object sampling = answer.get("_sampling");
    figures.put(
        "total",
        Figure.of(
            at(answer, "hits", "total").get("value"),
            sampling == null ? null : at(map(sampling), "hits").get("total")));
    map(answer.get("aggregations")).forEach((name, each) -> add(name, map(each), figures));
    return figures;
  }

  private static void add(String name, Map<String, Object> one, Map<String, Figure> figures) {
    if (one.containsKey("buckets")) {
      addBuckets(name, one, figures);
    } else if (one.containsKey("value")) {
      figures.put(name, Figure.of(one.get("value"), one.get("bounds")));
    } else {
      boolean isStats = one.containsKey("avg");
      Map<String, Object> values = isStats ? one : at(one, "values");
      Map<String, Object> bounds = one.containsKey("bounds") ? at(one, "bounds") : Map.of();
      for (String key : isStats ? STATS : List.copyOf(values.keySet())) {
        figures.put(name + "." + key, Figure.of(values.get(key), bounds.get(key)));
      }
    }
  }

  private static void addBuckets(
      String name, Map<String, Object> aggregation, Map<String, Figure> figures) {
    for (Object each : list(aggregation.get("buckets"))) {
      Map<String, Object> bucket = map(each);
      String path = name + "=" + bucket.get("key");
      figures.put(path, Figure.of(bucket.get("doc_count"), bucket.get("doc_count_bounds")));
      bucket.forEach((inner, metric) -> {
        if (metric instanceof Map<?, ?> && !inner.equals("doc_count_bounds")) {
          add(path + ">" + inner, map(metric), figures);
        }
      });
    }
  }
}
