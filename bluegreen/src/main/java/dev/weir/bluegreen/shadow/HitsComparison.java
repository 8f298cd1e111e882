package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.Verdict.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares the hits of two answers: how many match, which are told and in which order, and what.
 */
final class HitsComparison {
  /** What of a hit is the document's own. */
  private static final List<String> CONTENTS = List.of("_source", "fields");

  private final Findings findings;
  private final double overlap;
  private final Paging paging;

  /**
   * What a request says of which hits it gets.
   *
   * @param begun whether its pages may begin behind the first hit
   * @param unordered whether it asks for no order that two clusters have in common
   * @param partial whether it may end before all that match were looked at
   */
  record Paging(boolean begun, boolean unordered, boolean partial) {
    /** What can be told without reading it as JSON; says rather too much than too little. */
    static Paging of(KeptRequest request) {
      String uri = request.uri();
      String body = request.text();
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
  HitsComparison(Findings findings, double overlap, Paging paging) {
    this.findings = findings;
    this.overlap = overlap;
    this.paging = paging;
  }

  /** Compares the objects that have {@code total} and {@code hits}. */
  void compare(String path, Map<String, Object> primary, Map<String, Object> shadow) {
    total(path + ".total", primary.get("total"), shadow.get("total"));
    List<Object> one = Json.array(primary.get("hits"));
    List<Object> other = Json.array(shadow.get("hits"));
    if (one == null || other == null) {
      if (one != null || other != null) {
        findings.differs(Kind.HITS, path + ".hits", one, other);
      }
      return;
    }
    List<Map<String, Object>> mine = objects(one);
    List<Map<String, Object>> theirs = objects(other);
    List<String> ids = names(mine);
    List<String> otherIds = names(theirs);
    if (ids.size() < one.size() || otherIds.size() < other.size()) {
      withoutIds(path + ".hits", one, other);
      return;
    }
    order(
        path + ".hits",
        Ranking.of(mine, ids, paging.unordered(), goesOn(primary, ids.size())),
        Ranking.of(theirs, otherIds, paging.unordered(), goesOn(shadow, otherIds.size())));
    contents(path + ".hits", mine, ids, theirs, otherIds);
  }

  // How many match.

  /**
   * A total.
   *
   * @param least whether there may be more
   */
  private record Total(long value, boolean least) {
    static @Nullable Total of(@Nullable Object total) {
      if (total instanceof Number number) {
        return new Total(number.longValue(), false);
      }
      Map<String, Object> object = Json.object(total);
      if (object == null || !(object.get("value") instanceof Number value)) {
        return null;
      }
      return new Total(value.longValue(), "gte".equals(object.get("relation")));
    }

    /** Whether both may be said of the same number. */
    boolean agrees(Total other) {
      if (least && other.least) {
        return true;
      }
      if (least || other.least) {
        return least ? other.value > value : value > other.value;
      }
      return value == other.value;
    }
  }

  private void total(String path, @Nullable Object primary, @Nullable Object shadow) {
    Total one = Total.of(primary);
    Total other = Total.of(shadow);
    if (one == null && other == null) {
      return;
    }
    if (one == null || other == null || !one.agrees(other)) {
      findings.differs(Kind.TOTAL, path, primary, shadow);
    }
  }

  private static boolean goesOn(Map<String, Object> hits, int shown) {
    Total total = Total.of(hits.get("total"));
    return total == null || total.least || total.value > shown;
  }

  // Which, and in which order.

  private static List<Map<String, Object>> objects(List<Object> hits) {
    List<Map<String, Object>> objects = new ArrayList<>(hits.size());
    for (Object hit : hits) {
      Map<String, Object> object = Json.object(hit);
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
  private static List<String> names(List<Map<String, Object>> hits) {
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

  private void withoutIds(String path, List<Object> primary, List<Object> shadow) {
    Json.Place place = Json.difference(path, primary, shadow);
    if (place != null) {
      findings.differs(Kind.HITS, place.path(), place.one(), place.other());
    }
  }

  private void order(String path, Ranking primary, Ranking shadow) {
    Ranking.Alike alike = Ranking.alike(primary, shadow, paging.begun());
    if (primary.size() > 0 || shadow.size() > 0) {
      double rbo =
          alike.same()
              ? 1
              : RankBiasedOverlap.extrapolated(
                  alike.primary(), alike.shadow(), RankBiasedOverlap.PERSISTENCE);
      findings.overlap(rbo);
      if (primary.size() != shadow.size() || rbo < overlap) {
        int at = firstApart(alike);
        findings.differs(
            Kind.HITS,
            path + " (rank " + (at + 1) + ")",
            at(alike.primary(), at),
            at(alike.shadow(), at));
      } else if (!alike.same()) {
        findings.near();
      }
    }
  }

  private static int firstApart(Ranking.Alike alike) {
    int at = 0;
    while (at < alike.primary().size()
        && at < alike.shadow().size()
        && alike.primary().get(at).equals(alike.shadow().get(at))) {
      at++;
    }
    return at;
  }

  private static @Nullable String at(List<String> ids, int at) {
    return at < ids.size() ? ids.get(at) : null;
  }

  // What.

  private void contents(
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
        contents(path + "[" + ids.get(i) + "]", primary.get(i), other);
      }
    }
  }

  /** Compares what two answers say of a document. */
  void contents(String path, Map<String, Object> primary, Map<String, Object> shadow) {
    for (String member : CONTENTS) {
      Object one = primary.get(member);
      Object other = shadow.get(member);
      if (one == null || other == null) {
        if (one != null || other != null) {
          findings.differs(Kind.SOURCE, path + "." + member, one, other);
        }
        continue;
      }
      Json.Place place = Json.difference(path + "." + member, one, other);
      if (place != null) {
        findings.differs(Kind.SOURCE, place.path(), place.one(), place.other());
      }
    }
    if (primary.get("_score") instanceof Number one
        && shadow.get("_score") instanceof Number other) {
      double larger = Math.max(Math.abs(one.doubleValue()), Math.abs(other.doubleValue()));
      findings.scores(larger == 0 ? 0 : Math.abs(one.doubleValue() - other.doubleValue()) / larger);
    }
  }
}
