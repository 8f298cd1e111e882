package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Difference;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Kind;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Reason;
import dev.weir.model.DisplayFormat;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts the outcomes of shadow reads and keeps the newest differences. Safe on any thread. */
public final class ShadowReport {
  /** The number of differences that are kept. */
  public static final int MAX_RECORDED_DIFFERENCES = 32;

  private static final List<String> VERDICTS =
      List.of(
          new ComparisonVerdict.Same().label(),
          new ComparisonVerdict.Similar().label(),
          new ComparisonVerdict.Different(List.of()).label(),
          new ComparisonVerdict.NotComparable(Reason.INTERNAL_ERROR).label());

  private final LongSupplier nanoClock;
  private final LongSupplier currentTimeMillis;
  private final Map<ReadKind, Map<String, LongAdder>> verdicts = new EnumMap<>(ReadKind.class);
  private final Map<Kind, LongAdder> differences = newCounters(Kind.class);
  private final Map<Reason, LongAdder> incomparable = newCounters(Reason.class);
  private final Map<ShadowSkipReason, LongAdder> skips = newCounters(ShadowSkipReason.class);
  private final ArrayDeque<RecordedDifference> recent = new ArrayDeque<>(MAX_RECORDED_DIFFERENCES);
  private final RecentComparisonStats recentStats;

  /**
   * A count with its labels.
   *
   * @param action the kind of read; empty for counts without it
   * @param label a verdict, a kind, or a reason
   */
  public record Count(String action, String label, long count) {}

  /**
   * A pair of compared responses.
   *
   * @param request method, path and query
   * @param sourceCluster the name of the cluster that answered the client
   * @param targetCluster the name of the other cluster
   * @param primaryNanos response time of the first cluster
   * @param shadowNanos response time of the other cluster
   */
  record ComparedPair(
      ReadKind kind,
      String sourceCluster,
      String targetCluster,
      String request,
      long primaryNanos,
      long shadowNanos) {}

  private record RecordedDifference(
      long atMillis, ComparedPair pair, double overlap, List<Difference> differences) {}

  ShadowReport(LongSupplier nanoClock, LongSupplier wallMillis) {
    this.nanoClock = nanoClock;
    this.currentTimeMillis = wallMillis;
    this.recentStats = new RecentComparisonStats(nanoClock.getAsLong());
    for (ReadKind kind : ReadKind.values()) {
      Map<String, LongAdder> counts = new LinkedHashMap<>();
      VERDICTS.forEach(word -> counts.put(word, new LongAdder()));
      verdicts.put(kind, counts);
    }
  }

  private static <E extends Enum<E>> Map<E, LongAdder> newCounters(Class<E> type) {
    Map<E, LongAdder> counters = new EnumMap<>(type);
    for (E constant : type.getEnumConstants()) {
      counters.put(constant, new LongAdder());
    }
    return counters;
  }

  private static <E> void increment(Map<E, LongAdder> counters, E what) {
    LongAdder counter = counters.get(what);
    if (counter == null) {
      throw new IllegalArgumentException("got " + what + " (expected: one of " + counters + ")");
    }
    counter.increment();
  }

  // Recording.

  void recordSkip(ShadowSkipReason why) {
    increment(skips, why);
  }

  void incomparable(ReadKind kind, Reason why) {
    recordVerdict(kind, new ComparisonVerdict.NotComparable(why));
  }

  private void recordVerdict(ReadKind kind, ComparisonVerdict verdict) {
    Map<String, LongAdder> counts = verdicts.get(kind);
    if (counts != null) {
      increment(counts, verdict.label());
    }
    switch (verdict) {
      case ComparisonVerdict.Different(List<Difference> found) ->
          found.forEach(difference -> increment(differences, difference.kind()));
      case ComparisonVerdict.NotComparable(Reason reason) -> increment(incomparable, reason);
      case ComparisonVerdict.Same _, ComparisonVerdict.Similar _ -> {
        // no details to record
      }
    }
  }

  void compared(ComparedPair pair, DifferenceCollector findings) {
    ComparisonVerdict verdict = findings.toVerdict();
    recordVerdict(pair.kind(), verdict);
    if (!(verdict instanceof ComparisonVerdict.NotComparable)) {
      recentStats.add(nanoClock.getAsLong(), pair.primaryNanos(), pair.shadowNanos(), findings);
    }
    if (verdict instanceof ComparisonVerdict.Different(List<Difference> found)) {
      RecordedDifference kept =
          new RecordedDifference(currentTimeMillis.getAsLong(), pair, findings.minOverlap(), found);
      synchronized (recent) {
        if (recent.size() == MAX_RECORDED_DIFFERENCES) {
          recent.removeLast();
        }
        recent.addFirst(kept);
      }
    }
  }

  // Reading.

  /** Comparisons with a verdict other than not comparable. */
  public long compared() {
    long sum = 0;
    for (Map<String, LongAdder> counts : verdicts.values()) {
      for (Map.Entry<String, LongAdder> count : counts.entrySet()) {
        sum += count.getKey().equals(VERDICTS.getLast()) ? 0 : count.getValue().sum();
      }
    }
    return sum;
  }

  /** Comparisons with differences. */
  public long differentComparisons() {
    long sum = 0;
    for (Count count : verdicts()) {
      sum += count.label().equals(VERDICTS.get(2)) ? count.count() : 0;
    }
    return sum;
  }

  /** Verdicts by kind of read. */
  public List<Count> verdicts() {
    List<Count> rows = new ArrayList<>();
    verdicts.forEach((kind, counts) ->
        counts.forEach((word, count) -> rows.add(new Count(kind.label(), word, count.sum()))));
    return rows;
  }

  /** Differences by kind. */
  public List<Count> differences() {
    return toCounts(differences);
  }

  /** Incomparable pairs of responses by reason. */
  public List<Count> incomparable() {
    return toCounts(incomparable);
  }

  /** Reads without a shadow read or a comparison, by reason. */
  public List<Count> skips() {
    return toCounts(skips);
  }

  private static List<Count> toCounts(Map<? extends Enum<?>, LongAdder> counters) {
    List<Count> rows = new ArrayList<>();
    counters.forEach(
        (what, count) -> rows.add(new Count("", DisplayFormat.toKebabCase(what), count.sum())));
    return rows;
  }

  /** The recent mean overlap of rankings; 1 without any. */
  public double meanOverlap() {
    double mean = recentStats.overlaps(nanoClock.getAsLong()).mean();
    return Double.isNaN(mean) ? 1 : mean;
  }

  /** The recent minimum overlap of rankings; 1 without any. */
  public double minOverlap() {
    double least = recentStats.overlaps(nanoClock.getAsLong()).min();
    return Double.isNaN(least) ? 1 : least;
  }

  /**
   * A quantile of the recent response times of compared responses, in seconds.
   *
   * @param shadow true for the other cluster
   * @param quantile from 0 to 1
   */
  public double quantileSeconds(boolean shadow, double quantile) {
    return recentStats.quantileSeconds(nanoClock.getAsLong(), shadow, quantile);
  }

  /** The whole report as a tree for JSON. */
  public Map<String, Object> toMap() {
    long now = nanoClock.getAsLong();
    Map<String, Object> body = new LinkedHashMap<>();
    Map<String, Map<String, Object>> byAction = new LinkedHashMap<>();
    for (Count count : verdicts()) {
      byAction.computeIfAbsent(count.action(), _ -> new LinkedHashMap<>());
      if (count.count() > 0) {
        Map<String, Object> counts = byAction.getOrDefault(count.action(), Map.of());
        counts.put(count.label(), count.count());
      }
    }
    byAction.values().removeIf(Map::isEmpty);
    body.put("compared", compared());
    body.put("differing", differentComparisons());
    body.put("verdicts", byAction);
    body.put("differences_by_kind", nonZero(differences()));
    body.put("incomparable", nonZero(incomparable()));
    body.put("shed_requests", nonZero(skips()));
    RecentComparisonStats.OverlapStats overlaps = recentStats.overlaps(now);
    Map<String, Object> rankings = new LinkedHashMap<>();
    rankings.put("compared_rankings", overlaps.rankings());
    if (overlaps.rankings() > 0) {
      rankings.put("rbo_mean", DisplayFormat.roundToThousandths(overlaps.mean()));
      rankings.put("rbo_min", DisplayFormat.roundToThousandths(overlaps.min()));
      rankings.put(
          "max_score_difference", DisplayFormat.roundToThousandths(overlaps.maxScoreDeviation()));
    }
    rankings.putAll(recentStats.latencies(now));
    body.put("recent", rankings);
    body.put("newest_differences", differencesToList());
    return body;
  }

  private static Map<String, Object> nonZero(List<Count> counts) {
    Map<String, Object> shown = new LinkedHashMap<>();
    for (Count count : counts) {
      if (count.count() > 0) {
        shown.put(count.label(), count.count());
      }
    }
    return shown;
  }

  private List<Object> differencesToList() {
    List<RecordedDifference> kept;
    synchronized (recent) {
      kept = List.copyOf(recent);
    }
    return kept.stream().<Object>map(ShadowReport::differenceToMap).toList();
  }

  private static Map<String, Object> differenceToMap(RecordedDifference kept) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("at", Instant.ofEpochMilli(kept.atMillis()).toString());
    row.put("request_line", kept.pair().request());
    row.put("action", kept.pair().kind().label());
    row.put("primary", kept.pair().sourceCluster());
    row.put("shadow", kept.pair().targetCluster());
    if (!Double.isNaN(kept.overlap())) {
      row.put("rbo", DisplayFormat.roundToThousandths(kept.overlap()));
    }
    List<Object> found = new ArrayList<>();
    for (Difference difference : kept.differences()) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("kind", DisplayFormat.toKebabCase(difference.kind()));
      one.put("path", difference.path());
      one.put("primary", difference.primary());
      one.put("shadow", difference.shadow());
      found.add(one);
    }
    row.put("differences", found);
    return row;
  }
}
