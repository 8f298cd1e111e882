package dev.weir.bluegreen.shadow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The hits of a response in order, grouped into runs of hits with equal sort values. Neither the
 * order within a run is significant, nor which hits of a run are on a page that starts or ends
 * within it: {@link #align} removes both before rankings are compared.
 */
final class HitRanking {
  /** Scores within this relative distance count as equal. */
  private static final double SCORE_TOLERANCE = 1e-6;

  /**
   * A run of hits with equal sort values.
   *
   * @param key the sort value; null if unknown
   * @param ids the hits in order
   */
  private record TieGroup(@Nullable Object key, List<String> ids) {}

  private final List<TieGroup> groups;
  private final int size;
  private final boolean hasMore;

  private HitRanking(List<TieGroup> runs, int size, boolean hasMoreHits) {
    this.groups = runs;
    this.size = size;
    this.hasMore = hasMoreHits;
  }

  /**
   * Two rankings without insignificant differences: the same order gives equal lists. Each id
   * occurs once. A tied hit on only one page takes the name of one on the other page.
   */
  record Alignment(List<String> primary, List<String> shadow) {
    boolean isSameOrder() {
      return primary.equals(shadow);
    }
  }

  /**
   * Reads the hits of a response.
   *
   * @param ids unique names of the hits
   * @param unordered whether the order of all hits is insignificant
   * @param hasMoreHits whether more hits match than the page shows
   */
  static HitRanking of(
      List<Map<String, Object>> hits, List<String> ids, boolean unordered, boolean hasMoreHits) {
    List<TieGroup> runs = new ArrayList<>();
    for (int i = 0; i < hits.size(); i++) {
      Object key = unordered ? "" : sortKey(hits.get(i));
      TieGroup last = runs.isEmpty() ? null : runs.getLast();
      if (last != null
          && key != null
          && last.key != null
          && JsonComparison.isEqual(last.key, key)) {
        last.ids.add(ids.get(i));
      } else {
        List<String> run = new ArrayList<>(1);
        run.add(ids.get(i));
        runs.add(new TieGroup(key, run));
      }
    }
    return new HitRanking(runs, hits.size(), hasMoreHits);
  }

  /** The sort value of a hit; null if unknown. */
  private static @Nullable Object sortKey(Map<String, Object> hit) {
    Object sort = hit.get("sort");
    if (sort != null) {
      return sort;
    }
    return hit.get("_score") instanceof Number score ? score : null;
  }

  /**
   * Removes insignificant differences.
   *
   * @param mayStartMidRun whether the pages may start within a run
   */
  static Alignment align(HitRanking primary, HitRanking shadow, boolean mayStartMidRun) {
    List<List<String>> one = primary.copyGroups();
    List<List<String>> other = shadow.copyGroups();
    if (!one.isEmpty() && !other.isEmpty()) {
      if (primary.hasMore
          && shadow.hasMore
          && isSameGroup(primary.groups.getLast(), shadow.groups.getLast())) {
        unifyCutGroups(one, one.getLast(), other, other.getLast());
      }
      if (mayStartMidRun && isSameGroup(primary.groups.getFirst(), shadow.groups.getFirst())) {
        unifyCutGroups(one, one.getFirst(), other, other.getFirst());
      }
    }
    List<String> first = orderLike(one, positions(other.stream().flatMap(List::stream).toList()));
    return new Alignment(first, orderLike(other, positions(first)));
  }

  int size() {
    return size;
  }

  private List<List<String>> copyGroups() {
    List<List<String>> copies = new ArrayList<>(groups.size());
    groups.forEach(run -> copies.add(new ArrayList<>(run.ids)));
    return copies;
  }

  /** Whether two runs belong to the same run. */
  private static boolean isSameGroup(TieGroup one, TieGroup other) {
    if (one.key == null || other.key == null) {
      return false;
    }
    return (one.key instanceof Number score && other.key instanceof Number beside)
        ? JsonComparison.isNear(score, beside, SCORE_TOLERANCE)
        : JsonComparison.isEqual(one.key, other.key);
  }

  /** Gives the hits of truncated runs that are on only one page the names of those on the other. */
  private static void unifyCutGroups(
      List<List<String>> one, List<String> mine, List<List<String>> other, List<String> theirs) {
    Set<String> inOne = new HashSet<>();
    one.forEach(inOne::addAll);
    Set<String> inOther = new HashSet<>();
    other.forEach(inOther::addAll);
    int at = 0;
    for (int i = 0; i < theirs.size(); i++) {
      if (inOne.contains(theirs.get(i))) {
        continue;
      }
      while (at < mine.size() && inOther.contains(mine.get(at))) {
        at++;
      }
      if (at == mine.size()) {
        return;
      }
      theirs.set(i, mine.get(at++));
    }
  }

  private static Map<String, Integer> positions(List<String> ids) {
    Map<String, Integer> positions = HashMap.newHashMap(ids.size());
    for (String id : ids) {
      positions.putIfAbsent(id, positions.size());
    }
    return positions;
  }

  /** The concatenated runs, each in the order of the other ranking. */
  private static List<String> orderLike(List<List<String>> runs, Map<String, Integer> elsewhere) {
    List<String> all = new ArrayList<>();
    for (List<String> run : runs) {
      if (run.size() > 1) {
        run.sort(Comparator.comparingInt(id -> elsewhere.getOrDefault(id, Integer.MAX_VALUE)));
      }
      all.addAll(run);
    }
    return all;
  }
}
