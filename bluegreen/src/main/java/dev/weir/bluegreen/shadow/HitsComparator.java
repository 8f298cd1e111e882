package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares the hits of two responses: the total, the ranking, and the documents. */
final class HitsComparator {
  /** Members of a hit that belong to the document. */
  private static final List<String> CONTENT_FIELDS = List.of("_source", "fields");

  private final DifferenceCollector differences;
  private final double minOverlap;
  private final Paging paging;

  /**
   * The properties of a request that affect its hits.
   *
   * @param startsAfterFirst whether its pages may start after the first hit
   * @param unordered whether it requests no order that both clusters share
   * @param partial whether it may end before all matches were collected
   */
  record Paging(boolean startsAfterFirst, boolean unordered, boolean partial) {
    /** Estimates the properties without parsing JSON; errs on the side of true. */
    static Paging parse(RequestCopy request) {
      String uri = request.uri();
      String body = request.bodyText();
      return new Paging(
          uri.contains("from=") || body.contains("\"from\"") || body.contains("\"search_after\""),
          uri.contains("sort=_doc") || body.contains("\"_doc\""),
          uri.contains("terminate_after=") || body.contains("\"terminate_after\""));
    }
  }

  /**
   * Creates a comparator.
   *
   * @param overlap the overlap from which rankings are similar
   */
  HitsComparator(DifferenceCollector findings, double overlap, Paging paging) {
    this.differences = findings;
    this.minOverlap = overlap;
    this.paging = paging;
  }

  /** Compares the objects that have {@code total} and {@code hits}. */
  void compare(String path, Map<String, Object> primary, Map<String, Object> shadow) {
    compareTotals(path + ".total", primary.get("total"), shadow.get("total"));
    List<Object> one = JsonComparison.asArray(primary.get("hits"));
    List<Object> other = JsonComparison.asArray(shadow.get("hits"));
    if (one == null || other == null) {
      if (one != null || other != null) {
        differences.add(Kind.HITS, path + ".hits", one, other);
      }
      return;
    }
    List<Map<String, Object>> mine = toObjects(one);
    List<Map<String, Object>> theirs = toObjects(other);
    List<String> ids = uniqueNames(mine);
    List<String> otherIds = uniqueNames(theirs);
    if (ids.size() < one.size() || otherIds.size() < other.size()) {
      compareWithoutIds(path + ".hits", one, other);
      return;
    }
    compareOrder(
        path + ".hits",
        HitRanking.of(mine, ids, paging.unordered(), hasMoreHits(primary, ids.size())),
        HitRanking.of(theirs, otherIds, paging.unordered(), hasMoreHits(shadow, otherIds.size())));
    compareContents(path + ".hits", mine, ids, theirs, otherIds);
  }

  // The total.

  /**
   * A total of hits.
   *
   * @param isLowerBound whether more may match
   */
  private record Total(long value, boolean isLowerBound) {
    static @Nullable Total parse(@Nullable Object total) {
      if (total instanceof Number number) {
        return new Total(number.longValue(), false);
      }
      Map<String, Object> object = JsonComparison.asObject(total);
      if (object == null || !(object.get("value") instanceof Number value)) {
        return null;
      }
      return new Total(value.longValue(), "gte".equals(object.get("relation")));
    }

    /** Whether both totals are consistent with one number. */
    boolean isCompatibleWith(Total other) {
      if (isLowerBound && other.isLowerBound) {
        return true;
      }
      if (isLowerBound || other.isLowerBound) {
        return isLowerBound ? other.value > value : value > other.value;
      }
      return value == other.value;
    }
  }

  private void compareTotals(String path, @Nullable Object primary, @Nullable Object shadow) {
    Total one = Total.parse(primary);
    Total other = Total.parse(shadow);
    if (one == null && other == null) {
      return;
    }
    if (one == null || other == null || !one.isCompatibleWith(other)) {
      differences.add(Kind.TOTAL, path, primary, shadow);
    }
  }

  private static boolean hasMoreHits(Map<String, Object> hits, int shown) {
    Total total = Total.parse(hits.get("total"));
    return total == null || total.isLowerBound || total.value > shown;
  }

  // The ranking.

  private static List<Map<String, Object>> toObjects(List<Object> hits) {
    List<Map<String, Object>> objects = new ArrayList<>(hits.size());
    for (Object hit : hits) {
      Map<String, Object> object = JsonComparison.asObject(hit);
      if (object != null) {
        objects.add(object);
      }
    }
    return objects;
  }

  /**
   * Unique names of hits: the id, with a number if several indices have it, since the same
   * documents may be in indices of other names on the other cluster. The list is shorter than the
   * hits if one has no id.
   */
  private static List<String> uniqueNames(List<Map<String, Object>> hits) {
    Map<String, Integer> seen = HashMap.newHashMap(hits.size());
    List<String> names = new ArrayList<>(hits.size());
    for (Map<String, Object> hit : hits) {
      if (hit.get("_id") instanceof String id) {
        int before = seen.merge(id, 1, Integer::sum);
        names.add(before == 1 ? id : id + " (" + before + ")");
      }
    }
    return names;
  }

  private void compareWithoutIds(String path, List<Object> primary, List<Object> shadow) {
    JsonComparison.Mismatch place = JsonComparison.findDifference(path, primary, shadow);
    if (place != null) {
      differences.add(Kind.HITS, place.path(), place.one(), place.other());
    }
  }

  private void compareOrder(String path, HitRanking primary, HitRanking shadow) {
    HitRanking.Alignment alike = HitRanking.align(primary, shadow, paging.startsAfterFirst());
    if (primary.size() > 0 || shadow.size() > 0) {
      double rbo =
          alike.isSameOrder()
              ? 1
              : RankBiasedOverlap.extrapolate(
                  alike.primary(), alike.shadow(), RankBiasedOverlap.PERSISTENCE);
      differences.recordOverlap(rbo);
      if (primary.size() != shadow.size() || rbo < minOverlap) {
        int at = firstDifference(alike);
        differences.add(
            Kind.HITS,
            path + " (rank " + (at + 1) + ")",
            idAt(alike.primary(), at),
            idAt(alike.shadow(), at));
      } else if (!alike.isSameOrder()) {
        differences.recordNearMatch();
      }
    }
  }

  private static int firstDifference(HitRanking.Alignment alike) {
    int at = 0;
    while (at < alike.primary().size()
        && at < alike.shadow().size()
        && alike.primary().get(at).equals(alike.shadow().get(at))) {
      at++;
    }
    return at;
  }

  private static @Nullable String idAt(List<String> ids, int at) {
    return at < ids.size() ? ids.get(at) : null;
  }

  // The documents.

  private void compareContents(
      String path,
      List<Map<String, Object>> primary,
      List<String> ids,
      List<Map<String, Object>> shadow,
      List<String> otherIds) {
    Map<String, Map<String, Object>> byId = HashMap.newHashMap(shadow.size());
    for (int i = 0; i < shadow.size(); i++) {
      byId.put(otherIds.get(i), shadow.get(i));
    }
    for (int i = 0; i < primary.size(); i++) {
      Map<String, Object> other = byId.get(ids.get(i));
      if (other != null) {
        compareContents(path + "[" + ids.get(i) + "]", primary.get(i), other);
      }
    }
  }

  /** Compares a document in two responses. */
  void compareContents(String path, Map<String, Object> primary, Map<String, Object> shadow) {
    for (String member : CONTENT_FIELDS) {
      Object one = primary.get(member);
      Object other = shadow.get(member);
      if (one == null || other == null) {
        if (one != null || other != null) {
          differences.add(Kind.SOURCE, path + "." + member, one, other);
        }
        continue;
      }
      JsonComparison.Mismatch place =
          JsonComparison.findDifference(path + "." + member, one, other);
      if (place != null) {
        differences.add(Kind.SOURCE, place.path(), place.one(), place.other());
      }
    }
    if (primary.get("_score") instanceof Number one
        && shadow.get("_score") instanceof Number other) {
      double larger = Math.max(Math.abs(one.doubleValue()), Math.abs(other.doubleValue()));
      differences.recordScoreDeviation(
          larger == 0 ? 0 : Math.abs(one.doubleValue() - other.doubleValue()) / larger);
    }
  }
}
