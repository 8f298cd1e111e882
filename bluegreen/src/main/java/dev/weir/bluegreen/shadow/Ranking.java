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
 * The hits of an answer in their order, with the runs of hits that are equal in what they are
 * ordered by. The order within a run says nothing, nor does which hits of a run are on a page that
 * ends (or begins) within it: {@link #alike} removes both before rankings are compared.
 */
final class Ranking {
  /** Scores of two clusters that are this near stand for the same. */
  private static final double SAME_SCORE = 1e-6;

  /**
   * A run.
   *
   * @param key what its hits are ordered by; null where that is not known
   * @param ids its hits, in order
   */
  private record Run(@Nullable Object key, List<String> ids) {}

  private final List<Run> runs;
  private final int size;
  private final boolean goesOn;

  private Ranking(List<Run> runs, int size, boolean goesOn) {
    this.runs = runs;
    this.size = size;
    this.goesOn = goesOn;
  }

  /**
   * Two rankings without what says nothing; equal lists for the same order. Each id is there once;
   * a tied hit that is on one page alone has the name of one on the other.
   */
  record Alike(List<String> primary, List<String> shadow) {
    boolean same() {
      return primary.equals(shadow);
    }
  }

  /**
   * Reads hits.
   *
   * @param ids names of the hits, each once
   * @param unordered whether the order of all of them says nothing
   * @param goesOn whether more match than are on the page
   */
  static Ranking of(
      List<Map<String, Object>> hits, List<String> ids, boolean unordered, boolean goesOn) {
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < hits.size(); i++) {
      Object key = unordered ? "" : key(hits.get(i));
      Run last = runs.isEmpty() ? null : runs.getLast();
      if (last != null && key != null && last.key != null && Json.equal(last.key, key)) {
        last.ids.add(ids.get(i));
      } else {
        List<String> begun = new ArrayList<>(1);
        begun.add(ids.get(i));
        runs.add(new Run(key, begun));
      }
    }
    return new Ranking(runs, hits.size(), goesOn);
  }

  /** What a hit is ordered by; null where that is not known. */
  private static @Nullable Object key(Map<String, Object> hit) {
    Object sort = hit.get("sort");
    if (sort != null) {
      return sort;
    }
    return hit.get("_score") instanceof Number score ? score : null;
  }

  /**
   * Removes what says nothing.
   *
   * @param begun whether the pages may begin within a run
   */
  static Alike alike(Ranking primary, Ranking shadow, boolean begun) {
    List<List<String>> one = primary.copies();
    List<List<String>> other = shadow.copies();
    if (!one.isEmpty() && !other.isEmpty()) {
      if (primary.goesOn && shadow.goesOn && stand(primary.runs.getLast(), shadow.runs.getLast())) {
        name(one, one.getLast(), other, other.getLast());
      }
      if (begun && stand(primary.runs.getFirst(), shadow.runs.getFirst())) {
        name(one, one.getFirst(), other, other.getFirst());
      }
    }
    List<String> first = ordered(one, positions(other.stream().flatMap(List::stream).toList()));
    return new Alike(first, ordered(other, positions(first)));
  }

  int size() {
    return size;
  }

  private List<List<String>> copies() {
    List<List<String>> copies = new ArrayList<>(runs.size());
    runs.forEach(run -> copies.add(new ArrayList<>(run.ids)));
    return copies;
  }

  /** Whether two runs are parts of the same one. */
  private static boolean stand(Run one, Run other) {
    if (one.key == null || other.key == null) {
      return false;
    }
    return (one.key instanceof Number score && other.key instanceof Number beside)
        ? Json.near(score, beside, SAME_SCORE)
        : Json.equal(one.key, other.key);
  }

  /** Gives hits of cut runs that are on one page alone the names of those on the other. */
  private static void name(
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

  /** The runs one after the other, each in the order that the other ranking has. */
  private static List<String> ordered(List<List<String>> runs, Map<String, Integer> elsewhere) {
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
