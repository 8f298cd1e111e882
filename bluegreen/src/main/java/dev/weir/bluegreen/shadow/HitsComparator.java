package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares the hits of two answers: how many match, which are told and in which order, and what.
 */
final class HitsComparator {
  /** What of a hit is the document's own. */
  private static final List<String> CONTENT_FIELDS = List.of("_source", "fields");

  private final DifferenceCollector differences;
  private final double minOverlap;
  private final Paging paging;

  /**
   * What a request says of which hits it gets.
   *
   * @param startsAfterFirst whether its pages may begin behind the first hit
   * @param unordered whether it asks for no order that two clusters have in common
   * @param partial whether it may end before all that match were looked at
   */
  record Paging(boolean startsAfterFirst, boolean unordered, boolean partial) {
    /** What can be told without reading it as JSON; says rather too much than too little. */
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
   * Makes it.
   *
   * @param overlap rankings that overlap by so much are alike
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

  // How many match.

  /**
   * A total.
   *
   * @param isLowerBound whether there may be more
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

    /** Whether both may be said of the same number. */
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

  // Which, and in which order.

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
   * Names of hits, each once: the id, with a number where several indices have it, as the same
   * documents may lie in indices of other names elsewhere. Shorter than the hits where one has no
   * id.
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

  // What.

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

  /** Compares what two answers say of a document. */
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
