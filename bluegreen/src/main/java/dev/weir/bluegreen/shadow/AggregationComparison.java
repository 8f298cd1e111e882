package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.Verdict.Kind;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares aggregations: both trees are walked side by side. Numbers may be apart by a tolerance;
 * buckets are found by their keys, and their order may differ where their counts are no further
 * apart than that.
 */
final class AggregationComparison {
  private static final String AS_STRING = "_as_string";
  private static final String DOC_COUNT = "doc_count";

  /** What depends on how documents lie in shards. */
  private static final Set<String> BY_LAYOUT =
      Set.of("doc_count_error_upper_bound", "sum_other_doc_count");

  private final Findings findings;
  private final HitsComparison hits;
  private final double tolerance;

  /**
   * Makes it.
   *
   * @param hits compares those of top_hits
   * @param tolerance how far numbers may be apart, as a share of the larger one
   */
  AggregationComparison(Findings findings, HitsComparison hits, double tolerance) {
    this.findings = findings;
    this.hits = hits;
    this.tolerance = tolerance;
  }

  /** Compares two values that lie at the same place. */
  void compare(String path, Object primary, Object shadow) {
    Map<String, Object> one = Json.object(primary);
    Map<String, Object> other = Json.object(shadow);
    List<Object> elements = Json.array(primary);
    List<Object> others = Json.array(shadow);
    if (one != null && other != null) {
      members(path, one, other);
    } else if (elements != null && others != null) {
      elements(path, elements, others);
    } else if (primary instanceof Number number && shadow instanceof Number beside) {
      numbers(path, number, beside);
    } else if (!primary.equals(shadow)) {
      differs(path, primary, shadow);
    }
  }

  private void differs(String path, @Nullable Object primary, @Nullable Object shadow) {
    findings.differs(Kind.AGGREGATIONS, path, primary, shadow);
  }

  private void numbers(String path, Number primary, Number shadow) {
    if (!Json.near(primary, shadow, tolerance)) {
      differs(path, primary, shadow);
    } else if (!Json.near(primary, shadow, 0)) {
      findings.near();
    }
  }

  private void members(String path, Map<String, Object> primary, Map<String, Object> shadow) {
    if (Json.array(primary.get("hits")) != null && Json.array(shadow.get("hits")) != null) {
      hits.compare(path, primary, shadow);
      return;
    }
    List<Object> buckets = Json.array(primary.get("buckets"));
    List<Object> others = Json.array(shadow.get("buckets"));
    for (Map.Entry<String, Object> member : primary.entrySet()) {
      String name = member.getKey();
      Object other = shadow.get(name);
      if (told(name, primary)) {
        if (other == null) {
          differs(path + "." + name, member.getValue(), null);
        } else if (name.equals("buckets") && buckets != null && others != null) {
          new Buckets(path + "." + name, buckets, others).compare(cut(primary) && cut(shadow));
        } else {
          compare(path + "." + name, member.getValue(), other);
        }
      }
    }
    for (Map.Entry<String, Object> member : shadow.entrySet()) {
      if (told(member.getKey(), shadow) && !primary.containsKey(member.getKey())) {
        differs(path + "." + member.getKey(), null, member.getValue());
      }
    }
  }

  /** Whether a member says something that no other one does, and that clusters have in common. */
  private static boolean told(String name, Map<String, Object> among) {
    return told(name)
        && !(name.endsWith(AS_STRING)
            && among.containsKey(name.substring(0, name.length() - AS_STRING.length())));
  }

  /** Whether a member says something that clusters have in common. */
  static boolean told(String name) {
    return !BY_LAYOUT.contains(name);
  }

  /** Whether there are more buckets than are told. */
  private static boolean cut(Map<String, Object> aggregation) {
    return aggregation.get("sum_other_doc_count") instanceof Number rest && rest.longValue() > 0;
  }

  private void elements(String path, List<Object> primary, List<Object> shadow) {
    if (primary.size() != shadow.size()) {
      differs(path, primary, shadow);
      return;
    }
    for (int i = 0; i < primary.size(); i++) {
      compare(path + "[" + i + "]", primary.get(i), shadow.get(i));
    }
  }

  /** Buckets in the order told, found by their keys. */
  private final class Buckets {
    private final String path;
    private final List<Object> primary;
    private final List<Object> shadow;

    Buckets(String path, List<Object> primary, List<Object> shadow) {
      this.path = path;
      this.primary = primary;
      this.shadow = shadow;
    }

    void compare(boolean cut) {
      Map<String, Map<String, Object>> mine = byKey(primary);
      Map<String, Map<String, Object>> theirs = byKey(shadow);
      if (mine == null || theirs == null) {
        elements(path, primary, shadow);
        return;
      }
      mine.forEach((key, bucket) -> {
        Map<String, Object> other = theirs.get(key);
        if (other != null) {
          members(path + "[" + key + "]", bucket, other);
        } else if (cut && atEdge(bucket, theirs)) {
          findings.near();
        } else {
          differs(path + "[" + key + "]", bucket, null);
        }
      });
      theirs.forEach((key, bucket) -> {
        if (!mine.containsKey(key)) {
          if (cut && atEdge(bucket, mine)) {
            findings.near();
          } else {
            differs(path + "[" + key + "]", null, bucket);
          }
        }
      });
      order(mine, theirs);
    }

    /** Whether a bucket might as well be the first that is left out there. */
    private boolean atEdge(Map<String, Object> bucket, Map<String, Map<String, Object>> there) {
      double least = Double.POSITIVE_INFINITY;
      for (Map<String, Object> one : there.values()) {
        least = Math.min(least, count(one));
      }
      return nearly(count(bucket), least);
    }

    private void order(
        Map<String, Map<String, Object>> mine, Map<String, Map<String, Object>> theirs) {
      Map<String, Integer> positions = HashMap.newHashMap(mine.size());
      mine.keySet().forEach(key -> positions.put(key, positions.size()));
      String before = null;
      for (String key : theirs.keySet()) {
        Integer position = positions.get(key);
        if (position == null) {
          continue;
        }
        if (before != null && positions.getOrDefault(before, 0) > position) {
          if (tied(mine, before, key) || tied(theirs, before, key)) {
            findings.near();
          } else {
            differs(path + " (order)", List.copyOf(mine.keySet()), List.copyOf(theirs.keySet()));
            return;
          }
        }
        before = key;
      }
    }

    private boolean tied(Map<String, Map<String, Object>> buckets, String one, String other) {
      return nearly(count(buckets.get(one)), count(buckets.get(other)));
    }
  }

  private boolean nearly(double one, double other) {
    return Math.abs(one - other) <= tolerance * Math.max(Math.abs(one), Math.abs(other));
  }

  private static double count(@Nullable Map<String, Object> bucket) {
    return bucket != null && bucket.get(DOC_COUNT) instanceof Number count
        ? count.doubleValue()
        : Double.NaN;
  }

  /** Buckets by their keys, in order; null where one has none. */
  private static @Nullable Map<String, Map<String, Object>> byKey(List<Object> buckets) {
    Map<String, Map<String, Object>> byKey = LinkedHashMap.newLinkedHashMap(buckets.size());
    for (Object element : buckets) {
      Map<String, Object> bucket = Json.object(element);
      Object key = bucket == null ? null : bucket.get("key");
      if (bucket == null || key == null) {
        return null;
      }
      String text = key(key);
      String name = text;
      for (int i = 2; byKey.containsKey(name); i++) {
        name = text + " (" + i + ")";
      }
      byKey.put(name, bucket);
    }
    return byKey;
  }

  /** The same text for the same key, however its numbers are written. */
  private static String key(Object key) {
    return switch (key) {
      case BigDecimal decimal -> decimal.stripTrailingZeros().toPlainString();
      case Map<?, ?> members -> {
        Map<Object, String> values = new LinkedHashMap<>();
        members.forEach((name, value) -> values.put(name, key(value)));
        yield values.toString();
      }
      case List<?> elements ->
          elements.stream().map(AggregationComparison::key).toList().toString();
      default -> key.toString();
    };
  }
}
