package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.Verdict.Difference;
import dev.weir.bluegreen.shadow.Verdict.Kind;
import dev.weir.bluegreen.shadow.Verdict.Reason;
import dev.weir.model.Shown;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** What came of repeated reads. Safe on any thread. */
public final class ShadowReport {
  /** Differences that are kept, the newest. */
  public static final int KEPT = 32;

  private static final List<String> VERDICTS =
      List.of(
          new Verdict.Same().word(),
          new Verdict.Similar().word(),
          new Verdict.Different(List.of()).word(),
          new Verdict.NotComparable(Reason.FAILED).word());

  private final LongSupplier nanoClock;
  private final LongSupplier wallMillis;
  private final Map<ReadKind, Map<String, LongAdder>> verdicts = new EnumMap<>(ReadKind.class);
  private final Map<Kind, LongAdder> differences = counters(Kind.class);
  private final Map<Reason, LongAdder> incomparable = counters(Reason.class);
  private final Map<Shed, LongAdder> sheds = counters(Shed.class);
  private final ArrayDeque<Kept> newest = new ArrayDeque<>(KEPT);
  private final Lately lately;

  /**
   * A count with its labels.
   *
   * @param action what was read; empty where counts are not told apart by that
   * @param what a verdict, a kind, or a reason
   */
  public record Count(String action, String what, long count) {}

  /**
   * A pair of answers that were compared.
   *
   * @param request method, path and query
   * @param from the name of the cluster that answered the client
   * @param to the name of the other one
   * @param primaryNanos how long the one took
   * @param shadowNanos how long the other took
   */
  record Compared(
      ReadKind kind, String from, String to, String request, long primaryNanos, long shadowNanos) {}

  private record Kept(long atMillis, Compared pair, double overlap, List<Difference> differences) {}

  ShadowReport(LongSupplier nanoClock, LongSupplier wallMillis) {
    this.nanoClock = nanoClock;
    this.wallMillis = wallMillis;
    this.lately = new Lately(nanoClock.getAsLong());
    for (ReadKind kind : ReadKind.values()) {
      Map<String, LongAdder> counts = new LinkedHashMap<>();
      VERDICTS.forEach(word -> counts.put(word, new LongAdder()));
      verdicts.put(kind, counts);
    }
  }

  private static <E extends Enum<E>> Map<E, LongAdder> counters(Class<E> type) {
    Map<E, LongAdder> counters = new EnumMap<>(type);
    for (E constant : type.getEnumConstants()) {
      counters.put(constant, new LongAdder());
    }
    return counters;
  }

  private static <E> void count(Map<E, LongAdder> counters, E what) {
    LongAdder counter = counters.get(what);
    if (counter == null) {
      throw new IllegalArgumentException("got " + what + " (expected: one of " + counters + ")");
    }
    counter.increment();
  }

  // What happens.

  void shed(Shed why) {
    count(sheds, why);
  }

  void incomparable(ReadKind kind, Reason why) {
    verdict(kind, new Verdict.NotComparable(why));
  }

  private void verdict(ReadKind kind, Verdict verdict) {
    Map<String, LongAdder> counts = verdicts.get(kind);
    if (counts != null) {
      count(counts, verdict.word());
    }
    switch (verdict) {
      case Verdict.Different(List<Difference> found) ->
          found.forEach(difference -> count(differences, difference.kind()));
      case Verdict.NotComparable(Reason reason) -> count(incomparable, reason);
      case Verdict.Same _, Verdict.Similar _ -> {
        // nothing more to tell
      }
    }
  }

  void compared(Compared pair, Findings findings) {
    Verdict verdict = findings.verdict();
    verdict(pair.kind(), verdict);
    if (!(verdict instanceof Verdict.NotComparable)) {
      lately.add(nanoClock.getAsLong(), pair.primaryNanos(), pair.shadowNanos(), findings);
    }
    if (verdict instanceof Verdict.Different(List<Difference> found)) {
      Kept kept = new Kept(wallMillis.getAsLong(), pair, findings.leastOverlap(), found);
      synchronized (newest) {
        if (newest.size() == KEPT) {
          newest.removeLast();
        }
        newest.addFirst(kept);
      }
    }
  }

  // What is shown.

  /** Comparisons so far that came to a verdict other than that nothing can be said. */
  public long compared() {
    long sum = 0;
    for (Map<String, LongAdder> counts : verdicts.values()) {
      for (Map.Entry<String, LongAdder> count : counts.entrySet()) {
        sum += count.getKey().equals(VERDICTS.getLast()) ? 0 : count.getValue().sum();
      }
    }
    return sum;
  }

  /** Comparisons so far that found a difference. */
  public long different() {
    long sum = 0;
    for (Count count : verdicts()) {
      sum += count.what().equals(VERDICTS.get(2)) ? count.count() : 0;
    }
    return sum;
  }

  /** Verdicts, by what was read. */
  public List<Count> verdicts() {
    List<Count> rows = new ArrayList<>();
    verdicts.forEach((kind, counts) ->
        counts.forEach((word, count) -> rows.add(new Count(kind.word(), word, count.sum()))));
    return rows;
  }

  /** What differed, by kind. */
  public List<Count> differences() {
    return rows(differences);
  }

  /** Why answers could not be compared. */
  public List<Count> incomparable() {
    return rows(incomparable);
  }

  /** Why reads were not repeated, or their answers not compared. */
  public List<Count> sheds() {
    return rows(sheds);
  }

  private static List<Count> rows(Map<? extends Enum<?>, LongAdder> counters) {
    List<Count> rows = new ArrayList<>();
    counters.forEach((what, count) -> rows.add(new Count("", Shown.word(what), count.sum())));
    return rows;
  }

  /** The mean overlap of rankings lately; 1 while there are none. */
  public double meanOverlap() {
    double mean = lately.overlaps(nanoClock.getAsLong()).mean();
    return Double.isNaN(mean) ? 1 : mean;
  }

  /** The least overlap of rankings lately; 1 while there are none. */
  public double leastOverlap() {
    double least = lately.overlaps(nanoClock.getAsLong()).least();
    return Double.isNaN(least) ? 1 : least;
  }

  /**
   * How long answers took lately that were compared, in seconds.
   *
   * @param shadow whether on the other cluster
   * @param quantile from 0 to 1
   */
  public double seconds(boolean shadow, double quantile) {
    return lately.seconds(nanoClock.getAsLong(), shadow, quantile);
  }

  /** All of it, for JSON. */
  public Map<String, Object> show() {
    long now = nanoClock.getAsLong();
    Map<String, Object> body = new LinkedHashMap<>();
    Map<String, Map<String, Object>> byAction = new LinkedHashMap<>();
    for (Count count : verdicts()) {
      byAction.computeIfAbsent(count.action(), _ -> new LinkedHashMap<>());
      if (count.count() > 0) {
        Map<String, Object> counts = byAction.getOrDefault(count.action(), Map.of());
        counts.put(count.what(), count.count());
      }
    }
    byAction.values().removeIf(Map::isEmpty);
    body.put("compared", compared());
    body.put("different", different());
    body.put("verdicts", byAction);
    body.put("differences_by_kind", nonZero(differences()));
    body.put("not_comparable", nonZero(incomparable()));
    body.put("shed", nonZero(sheds()));
    Lately.Overlaps overlaps = lately.overlaps(now);
    Map<String, Object> rankings = new LinkedHashMap<>();
    rankings.put("rankings", overlaps.rankings());
    if (overlaps.rankings() > 0) {
      rankings.put("rbo_mean", Shown.rounded(overlaps.mean()));
      rankings.put("rbo_least", Shown.rounded(overlaps.least()));
      rankings.put("scores_apart", Shown.rounded(overlaps.scoresApart()));
    }
    rankings.putAll(lately.latencies(now));
    body.put("last_minutes", rankings);
    body.put("newest_differences", shownDifferences());
    return body;
  }

  private static Map<String, Object> nonZero(List<Count> counts) {
    Map<String, Object> shown = new LinkedHashMap<>();
    for (Count count : counts) {
      if (count.count() > 0) {
        shown.put(count.what(), count.count());
      }
    }
    return shown;
  }

  private List<Object> shownDifferences() {
    List<Kept> kept;
    synchronized (newest) {
      kept = List.copyOf(newest);
    }
    return kept.stream().<Object>map(ShadowReport::shown).toList();
  }

  private static Map<String, Object> shown(Kept kept) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("at", Instant.ofEpochMilli(kept.atMillis()).toString());
    row.put("request", kept.pair().request());
    row.put("action", kept.pair().kind().word());
    row.put("primary", kept.pair().from());
    row.put("shadow", kept.pair().to());
    if (!Double.isNaN(kept.overlap())) {
      row.put("rbo", Shown.rounded(kept.overlap()));
    }
    List<Object> found = new ArrayList<>();
    for (Difference difference : kept.differences()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("kind", Shown.word(difference.kind()));
      one.put("path", difference.path());
      one.put("primary", difference.primary());
      one.put("shadow", difference.shadow());
      found.add(one);
    }
    row.put("differences", found);
    return row;
  }
}
