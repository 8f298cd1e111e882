package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Kind;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares two trees of aggregations. Numbers may differ by a tolerance. Buckets match by key, and
 * their order may differ if their counts are within the tolerance.
 */
final class AggregationComparator {
  private static final String AS_STRING = "_as_string";
  private static final String DOC_COUNT = "doc_count";

  /** Members that depend on the distribution of documents over shards. */
  private static final Set<String> SHARD_DEPENDENT_MEMBERS =
      Set.of("doc_count_error_upper_bound", "sum_other_doc_count");

  private final DifferenceCollector differences;
  private final HitsComparator hits;
  private final double tolerance;

  /**
   * Creates a comparator.
   *
   * @param hits compares the hits of top_hits
   * @param tolerance maximum difference of two numbers, as a share of the larger one
   */
  AggregationComparator(DifferenceCollector findings, HitsComparator hits, double tolerance) {
    this.differences = findings;
    this.hits = hits;
    this.tolerance = tolerance;
  }

  /** Compares two values at the same path. */
  void compare(String path, Object primary, Object shadow) {
    Map<String, Object> one = JsonComparison.asObject(primary);
    Map<String, Object> other = JsonComparison.asObject(shadow);
    List<Object> elements = JsonComparison.asArray(primary);
    List<Object> others = JsonComparison.asArray(shadow);
    if (one != null && other != null) {
      compareMembers(path, one, other);
    } else if (elements != null && others != null) {
      compareElements(path, elements, others);
    } else if (primary instanceof Number number && shadow instanceof Number beside) {
      compareNumbers(path, number, beside);
    } else if (!primary.equals(shadow)) {
      reportDifference(path, primary, shadow);
    }
  }

  private void reportDifference(String path, @Nullable Object primary, @Nullable Object shadow) {
    differences.add(Kind.AGGREGATIONS, path, primary, shadow);
  }

  private void compareNumbers(String path, Number primary, Number shadow) {
    if (!JsonComparison.isNear(primary, shadow, tolerance)) {
      reportDifference(path, primary, shadow);
    } else if (!JsonComparison.isNear(primary, shadow, 0)) {
      differences.recordNearMatch();
    }
  }

  private void compareMembers(
      String path, Map<String, Object> primary, Map<String, Object> shadow) {
    if (JsonComparison.asArray(primary.get("hits")) != null
        && JsonComparison.asArray(shadow.get("hits")) != null) {
      hits.compare(path, primary, shadow);
      return;
    }
    List<Object> buckets = JsonComparison.asArray(primary.get("buckets"));
    List<Object> others = JsonComparison.asArray(shadow.get("buckets"));
    for (Map.Entry<String, Object> member : primary.entrySet()) {
      String name = member.getKey();
      Object other = shadow.get(name);
      if (isComparable(name, primary)) {
        if (other == null) {
          reportDifference(path + "." + name, member.getValue(), null);
        } else if (name.equals("buckets") && buckets != null && others != null) {
          new BucketComparator(path + "." + name, buckets, others)
              .compare(isTruncated(primary) && isTruncated(shadow));
        } else {
          compare(path + "." + name, member.getValue(), other);
        }
      }
    }
    for (Map.Entry<String, Object> member : shadow.entrySet()) {
      if (isComparable(member.getKey(), shadow) && !primary.containsKey(member.getKey())) {
        reportDifference(path + "." + member.getKey(), null, member.getValue());
      }
    }
  }

  /** Whether a member is a result that both clusters have and that no other member repeats. */
  private static boolean isComparable(String name, Map<String, Object> among) {
    return isComparable(name)
        && !(name.endsWith(AS_STRING)
            && among.containsKey(name.substring(0, name.length() - AS_STRING.length())));
  }

  /** Whether a member is a result that both clusters have. */
  static boolean isComparable(String name) {
    return !SHARD_DEPENDENT_MEMBERS.contains(name);
  }

  /** Whether the aggregation has more buckets than it returned. */
  private static boolean isTruncated(Map<String, Object> aggregation) {
    return aggregation.get("sum_other_doc_count") instanceof Number rest && rest.longValue() > 0;
  }

  private void compareElements(String path, List<Object> primary, List<Object> shadow) {
    if (primary.size() != shadow.size()) {
      reportDifference(path, primary, shadow);
      return;
    }
    for (int i = 0; i < primary.size(); i++) {
      compare(path + "[" + i + "]", primary.get(i), shadow.get(i));
    }
  }

  /** Buckets in their order, indexed by key. */
  private final class BucketComparator {
    private final String path;
    private final List<Object> primary;
    private final List<Object> shadow;

    BucketComparator(String path, List<Object> primary, List<Object> shadow) {
      this.path = path;
      this.primary = primary;
      this.shadow = shadow;
    }

    void compare(boolean cut) {
      Map<String, Map<String, Object>> mine = byKey(primary);
      Map<String, Map<String, Object>> theirs = byKey(shadow);
      if (mine == null || theirs == null) {
        compareElements(path, primary, shadow);
        return;
      }
      double leastOfMine = cut ? leastCount(mine) : Double.NaN;
      double leastOfTheirs = cut ? leastCount(theirs) : Double.NaN;
      mine.forEach((key, bucket) -> {
        Map<String, Object> other = theirs.get(key);
        if (other != null) {
          compareMembers(path + "[" + key + "]", bucket, other);
        } else if (isWithinTolerance(docCount(bucket), leastOfTheirs)) {
          differences.recordNearMatch();
        } else {
          reportDifference(path + "[" + key + "]", bucket, null);
        }
      });
      theirs.forEach((key, bucket) -> {
        if (!mine.containsKey(key)) {
          if (isWithinTolerance(docCount(bucket), leastOfMine)) {
            differences.recordNearMatch();
          } else {
            reportDifference(path + "[" + key + "]", null, bucket);
          }
        }
      });
      compareOrder(mine, theirs);
    }

    /** The count with which a missing bucket ties with the first one that was left out. */
    private static double leastCount(Map<String, Map<String, Object>> buckets) {
      double least = Double.POSITIVE_INFINITY;
      for (Map<String, Object> bucket : buckets.values()) {
        least = Math.min(least, docCount(bucket));
      }
      return least;
    }

    private void compareOrder(
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
          if (isTied(mine, before, key) || isTied(theirs, before, key)) {
            differences.recordNearMatch();
          } else {
            reportDifference(
                path + " (order)", List.copyOf(mine.keySet()), List.copyOf(theirs.keySet()));
            return;
          }
        }
        before = key;
      }
    }

    private boolean isTied(Map<String, Map<String, Object>> buckets, String one, String other) {
      return isWithinTolerance(docCount(buckets.get(one)), docCount(buckets.get(other)));
    }
  }

  private boolean isWithinTolerance(double one, double other) {
    return Math.abs(one - other) <= tolerance * Math.max(Math.abs(one), Math.abs(other));
  }

  private static double docCount(@Nullable Map<String, Object> bucket) {
    return bucket != null && bucket.get(DOC_COUNT) instanceof Number count
        ? count.doubleValue()
        : Double.NaN;
  }

  /** Buckets by key, with a number if several have it, in order; null if one has no key. */
  private static @Nullable Map<String, Map<String, Object>> byKey(List<Object> buckets) {
    Map<String, Map<String, Object>> byKey = LinkedHashMap.newLinkedHashMap(buckets.size());
    Map<String, Integer> seen = HashMap.newHashMap(buckets.size());
    for (Object element : buckets) {
      Map<String, Object> bucket = JsonComparison.asObject(element);
      Object key = bucket == null ? null : bucket.get("key");
      if (bucket == null || key == null) {
        return null;
      }
      String text = normalizeKey(key);
      String name;
      do {
        int number = seen.merge(text, 1, Integer::sum);
        name = number == 1 ? text : text + " (" + number + ")";
      } while (byKey.putIfAbsent(name, bucket) != null);
    }
    return byKey;
  }

  /** A canonical text of a key, independent of the notation of its numbers. */
  private static String normalizeKey(Object key) {
    return switch (key) {
      case BigDecimal decimal -> decimal.stripTrailingZeros().toPlainString();
      case Map<?, ?> members -> {
        Map<Object, String> values = new LinkedHashMap<>();
        members.forEach((name, value) -> values.put(name, normalizeKey(value)));
        yield values.toString();
      }
      case List<?> elements ->
          elements.stream().map(AggregationComparator::normalizeKey).toList().toString();
      default -> key.toString();
    };
  }
}
